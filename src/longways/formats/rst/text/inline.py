r"""Inline markup of reStructuredText, found by the rules of docutils.

Markup begins after whitespace or punctuation and ends before whitespace or punctuation; where the
text has neither, authors write `\ `, which stands for nothing. docutils itself gives a tree without
the places of inline markup, so the rules are here again. Time is linear: an end that is missing
once is not searched again.

A backslash escapes one character. In the `escaped` form of a text, of the same length, a NUL is in
place of every such backslash.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal["em", "strong", "code", "quoted", "word", "target", "note", "substitution"]
"""`quoted` is text between single backticks, with a role or as a reference; `word` is `name_`."""

_ESCAPE = re.compile(r"\\(.|\Z)", re.DOTALL)
_NULLS = re.compile("\x00[ \n]?")
_QUOTES: dict[str, str] = {
    pair[0]: pair[1]
    for pair in (
        *('""', "''", "()", "[]", "{}", "<>", "\u201c\u201d", "\u2018\u2019", "\u00ab\u00bb"),
        *("\u300c\u300d", "\u300e\u300f", "\u3010\u3011", "\u300a\u300b", "\uff08\uff09"),
    )
}
"""Quotation marks and brackets between which a single sign is text."""


@dataclass(frozen=True, slots=True)
class Token:
    """Inline markup and its place: `text[start:end]`, around `text[first:last]`."""

    kind: Kind
    start: int
    end: int
    first: int
    last: int
    role: str = ""
    """The role before or after the backticks, with its colons."""
    suffix: str = ""
    """What follows the backticks: a role, `_` or `__`."""


_NEWER = frozenset("\u00a7\u00b6\u2308\u2309\u230a\u230b")
"""Signs that became punctuation in a newer version of Unicode than that of docutils."""


@cache
def _classes() -> tuple[str, str]:
    """The characters after which markup may begin, and before which it may end."""
    known = (chr(n) for n in range(0xA0, sys.maxunicode >> 4) if n not in range(0x2E32, 0x2E80))
    categories = {char: unicodedata.category(char) for char in known if char not in _NEWER}
    both = "".join(c for c, name in categories.items() if name in ("Pd", "Po", "Pi", "Pf"))
    opens = "".join(c for c, name in categories.items() if name == "Ps")
    closes = "".join(c for c, name in categories.items() if name == "Pe") + "\u201a\u201e"
    quoted = re.escape(both), re.escape(opens), re.escape(closes)
    return (
        rf"""\s"'(<\[{{\-/:{quoted[0]}{quoted[1]}""",
        rf"""\s\x00"')>\]}}\-/:\\.,;!?{quoted[0]}{quoted[2]}""",
    )


_NAME = r"(?:(?!_)\w){1,200}(?:[-._+:](?:(?!_)\w){1,200}){0,30}"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, re.Pattern[str]]]:
    """The start of markup behind any character, the same at a given place, and the ends."""
    before, after = _classes()
    ends = rf"(?=\Z|[{after}])"
    start = rf"""(?: (?P<sign> \*\* | \*(?!\*) | `` | _` | \|(?!\|) ) (?!\s)
      | (?P<word> {_NAME} (?P<refend>__?) ) {ends}
      | (?P<note> \[ (?: [0-9]+ | \# (?:{_NAME})? | \* | {_NAME} ) \]_ ) {ends}
      | (?P<role> (?: :{_NAME}: )? ) (?P<tick>`) (?!`) (?!\s) )"""
    closings = {
        "*": rf"(?<![\s\x00])\*{ends}",
        "**": rf"(?<![\s\x00])\*\*{ends}",
        "``": rf"(?<!\s)``{ends}",
        "_`": rf"(?<![\s\x00])`{ends}",
        "|": rf"(?<![\s\x00])\|_{{0,2}}{ends}",
        "`": rf"(?<![\s\x00])`(?::{_NAME}:|__?)?{ends}",
    }
    return (
        re.compile(rf"(?:(?<=[{before}])|\A){start}", re.VERBOSE),
        re.compile(start, re.VERBOSE),
        {sign: re.compile(pattern) for sign, pattern in closings.items()},
    )


_KINDS: dict[str, Kind] = {
    "*": "em",
    "**": "strong",
    "``": "code",
    "_`": "target",
    "|": "substitution",
    "`": "quoted",
}


def escaped(text: str) -> str:
    """The text with a NUL in place of every backslash that escapes."""
    return _ESCAPE.sub("\x00\\1", text) if "\\" in text else text


def unescaped(text: str) -> str:
    """The visible text of an escaped text: escaped whitespace is nothing."""
    return _NULLS.sub("", text) if "\x00" in text else text


class Tokens:
    """The inline markup of an escaped text; `problems` counts starts that have no end."""

    def __init__(self, text: str) -> None:
        self.text, self.problems = text, 0
        self._missing = set[str]()

    def __iter__(self) -> Iterator[Token]:
        """Yield the tokens from left to right."""
        anywhere, here, _ = _patterns()
        place, after_token = 0, False
        while match := (after_token and here.match(self.text, place)) or anywhere.search(
            self.text, place
        ):
            token = self._token(match)
            after_token = token is not None
            if token is None:
                place = match.end("sign") if match["sign"] else match.end()
                continue
            yield token
            place = token.end

    def _token(self, match: re.Match[str]) -> Token | None:
        start, end = match.span()
        if match["word"]:
            return Token("word", start, end, start, match.start("refend"), "", match["refend"])
        if match["note"]:
            return Token("note", start, end, start + 1, end - 2)
        sign = match["sign"] or "`"
        if self._is_quoted(match.start("sign" if match["sign"] else "role"), end):
            return None
        return self._closed(sign, start, end, match["role"] or "")

    def _is_quoted(self, start: int, end: int) -> bool:
        """Whether the sign stands between quotation marks or brackets: `"*"`."""
        before, after = self.text[start - 1 : start], self.text[end : end + 1]
        return bool(before) and _QUOTES.get(before) == after

    def _closed(self, sign: str, start: int, end: int, role: str) -> Token | None:
        """The markup whose start sign is before `end`; None without an end sign."""
        closing = None
        if sign not in self._missing:
            closing = _patterns()[2][sign].search(self.text, end)
            if closing is None:
                self._missing.add(sign)
        if closing is None or closing.start() == end:
            self.problems += 1
            return None
        suffix = closing[0][len(sign) :] if sign in "`|" else ""
        if role and suffix:
            self.problems += 1
        return Token(_KINDS[sign], start, closing.end(), end, closing.start(), role, suffix)


def may_follow(char: str) -> bool:
    """Whether markup may begin behind a character; an empty one is the start of the text."""
    return not char or re.match(f"[{_classes()[0]}]", char) is not None


def may_precede(char: str) -> bool:
    """Whether markup may end before a character; an empty one is the end of the text."""
    return not char or re.match(f"[{_classes()[1]}]", char) is not None


def are_quotes(before: str, after: str) -> bool:
    """Whether markup signs between two characters would be read as quoted text."""
    return bool(before) and _QUOTES.get(before) == after
