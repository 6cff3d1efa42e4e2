"""Line ends inside the text of a program: marks of its passage, found again in the translation.

The line ends of a text are marks, so that its translation has the same number of lines. Sentences
end at blank lines, and at every line end in a language without spaces between words, whose texts
are not wrapped at a width.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longways.formats.base import Mark, Passage

_BREAK = re.compile(r"(?<![ \t\r])[ \t\r]*\n\s*")
_AT_LINE_END = re.compile(r"(?<!\s)\s*\n\s*")


def breaks_of(text: str) -> tuple[str, ...]:
    """The line ends of a text without outer whitespace, each with the whitespace around it."""
    return tuple(match[0] for match in _BREAK.finditer(text))


def break_marks(text: str, *, wrapped: bool) -> tuple[tuple[Mark, ...], tuple[int, ...]]:
    """The marks of all line ends, and the places where sentences end.

    `wrapped` if a single line end in the text may mean a space.
    """
    ends = list(_BREAK.finditer(text))
    marks = tuple(Mark(end.start(), end.start(), tag) for tag, end in enumerate(ends))
    return marks, tuple(end.start() for end in ends if not wrapped or end[0].count("\n") > 1)


def with_breaks(passage: Passage, breaks: Sequence[str]) -> str:
    """A translation whose only line ends are the source's, at its marks."""
    parts, last = list[str](), 0
    for mark in sorted(passage.marks, key=lambda mark: (mark.start, mark.tag)):
        parts += _on_one_line(passage.text[last : mark.start]), breaks[mark.tag]
        last = max(last, mark.start)
    return "".join([*parts, _on_one_line(passage.text[last:])])


def _on_one_line(text: str) -> str:
    return _AT_LINE_END.sub(" ", text.strip(" \t\r\n"))
