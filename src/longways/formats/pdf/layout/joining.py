"""Lines joined to text: spaces, hyphens at line ends, and runs of one style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from longways.formats.pdf.layout.lines import Run
from longways.formats.pdf.pages.characters import HYPHENS, is_unspaced, is_wide

_LAST_PART = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]\Z")
_FIRST_PART = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_ADDRESS_END = re.compile(r"(?:https?://|www\.)[^\s\u2e80-\U0003ffff]*\Z")
_SPACES = re.compile(r"\s+")


def known_words(lines: Iterable[str]) -> set[str]:
    """The words of a document that no line end divides."""
    known, divided = set[str](), False
    for line in lines:
        words = [word.lower() for word in _WORD.findall(line)]
        start = 1 if divided else 0
        divided = line.rstrip()[-1:] in HYPHENS and bool(words)
        known.update(words[start : len(words) - divided])
    return known


def join_lines(lines: Sequence[Sequence[Run]], known: Set[str] = frozenset()) -> list[Run]:
    """The runs of a paragraph; `known` are the words of the document."""
    runs = list[Run]()
    for line in lines:
        if runs and line:
            _join(runs, line[0].text, known)
        runs += line
    return merged(runs)


def _join(runs: list[Run], following: str, known: Set[str]) -> None:
    """Change the end of a text so that the next line can follow."""
    text = runs[-1].text
    before = "".join(run.text for run in runs[-3:])
    if text.endswith("\u00ad"):
        runs[-1] = replace(runs[-1], text=text[:-1])
    elif text[-1] in HYPHENS and len(before) > 1 and not before[-2].isspace():
        if _is_divided(before, following, known):
            runs[-1] = replace(runs[-1], text=text[:-1])
    elif not _ends_open(before, following):
        runs.append(Run(" "))


def _is_divided(before: str, following: str, known: Set[str]) -> bool:
    """Whether a hyphen at the end of a line only divides a word."""
    first, second = _LAST_PART.search(before), _FIRST_PART.match(following)
    if not first or not second or not second[0][0].islower():
        return False
    one, two = first[1].lower(), second[0].lower()
    if one + two in known:
        return True
    return f"{one}-{two}" not in known and not {one, two} <= known


def _ends_open(before: str, following: str) -> bool:
    """Whether the next line follows without a space."""
    one, two = before[-1], following[:1]
    if one.isspace() or not two or two.isspace():
        return True
    if is_unspaced(one) and is_unspaced(two):
        return True
    wide_sign = (is_wide(one) and not one.isalnum()) or (is_wide(two) and not two.isalnum())
    return wide_sign or (bool(_ADDRESS_END.search(before)) and one in "/-_.=&?%" and two.islower())


def merged(runs: Iterable[Run]) -> list[Run]:
    """Runs without neighbours of the same style, and with single spaces."""
    styles, texts, ends = list[Run](), list[list[str]](), " "
    for run in runs:
        text = _SPACES.sub(" ", run.text)
        text = text.lstrip() if ends == " " else text
        if not text:
            continue
        ends = text[-1]
        if not styles or (text != " " and not styles[-1].looks_like(run)):
            styles.append(run)
            texts.append([])
        texts[-1].append(text)
    if texts:
        texts[-1][-1] = texts[-1][-1].rstrip()
    return [replace(style, text="".join(text)) for style, text in zip(styles, texts, strict=True)]
