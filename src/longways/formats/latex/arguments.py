r"""The arguments of commands: `[option]` and `{text}`, and settings `key = {text}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from longways.formats.latex.tokens import COMMENT, ONE, SPACE, Tokens
from longways.text.scripts import letters_of

_WORDS = re.compile(r"[A-Za-z]{2,}(?:[ ,~\r\n]+[A-Za-z]+){2,}")
_TITLE = re.compile(r"[A-Z][a-z]{2,}|[a-z]+ [a-z]+")
_KEY = re.compile(r"\s*(?:%[^\n]*\n\s*)*([A-Za-z][\w*/ -]{0,60}?)\s*=\s*")
_SETTING_SIGN = re.compile(r"[{}\[\],]|\\.|%[^\r\n]*")


class Argument(NamedTuple):
    """An argument: the tokens of its brackets or braces."""

    open: int
    close: int
    is_option: bool


def arguments(
    tokens: Tokens, number: int, last: int, *, braces: int, apart: bool
) -> Iterator[Argument]:
    """The arguments from a token on, at most `braces` in braces.

    `apart` if spaces, comments and a line end may come before each.
    """
    while number < last:
        here = _skipped(tokens, number, last) if apart else number
        if here >= last or tokens.kinds[here] != ONE:
            return
        sign, partner = tokens.at(here), tokens.partners[here]
        if sign not in "[{" or partner < here or partner >= last or (sign == "{" and not braces):
            return
        yield Argument(here, partner, sign == "[")
        braces -= sign == "{"
        number = partner + 1


def _skipped(tokens: Tokens, number: int, last: int) -> int:
    while number < last and tokens.kinds[number] in (SPACE, COMMENT):
        number += 1
    return number


def is_text(text: str, start: int, end: int, language: str) -> bool:
    """Whether an argument of an unknown command is text: letters of the script, or words."""
    latin = language.split("-")[0].split("_")[0]
    letters = letters_of(language)
    if letters is None or letters.match("a"):
        return _WORDS.search(text, start, end) is not None
    return bool(latin) and letters.search(text, start, end) is not None


def is_title(text: str, start: int, end: int, language: str) -> bool:
    """Whether an argument in brackets is a title: not settings, nor a place such as `htbp`."""
    letters = letters_of(language)
    if "=" in text[start:end]:
        return False
    own = _TITLE if letters is None or letters.match("a") else letters
    return own.search(text, start, end) is not None


def settings(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The keys in a range with the ranges of their values, without the braces around them."""
    depth, begun = 0, start
    for sign in _SETTING_SIGN.finditer(text, start, end):
        if sign[0] in "{[":
            depth += 1
        elif sign[0] in "}]":
            depth -= 1
        elif sign[0] == "," and depth <= 0:
            yield from _setting(text, begun, sign.start())
            begun = sign.end()
    yield from _setting(text, begun, end)


def _setting(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    found = _KEY.match(text, start, end)
    if not found:
        return
    start, value = found.end(), text[found.end() : end].rstrip()
    end = start + len(value)
    if value.startswith("{") and _closed(value) == len(value):
        start, end = start + 1, end - 1
    yield found[1], start, end


def _closed(value: str) -> int:
    """The length of the group at the beginning of a value."""
    depth = 0
    for sign in _SETTING_SIGN.finditer(value):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if not depth:
            return sign.end()
    return -1
