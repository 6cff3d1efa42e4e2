"""A line of text as it is read, tag by tag: its text as a reader sees it, and its marks."""

from __future__ import annotations

import re
from typing import NamedTuple

from longways.translate.formats.html_references import read_text, readable
from longways.translate.formats.html_tokens import Token
from longways.translate.formats.keep import Range, kept_parts
from longways.translate.formats.protocol import Mark, Passage

_SPACE = "\t\n\f\r "
_SPACES = re.compile(f"[{_SPACE}]+")
_TEMPLATE = re.compile(r"\{%[^{}%]*%\}|\{\{[^{}]*\}\}")


class Tag(NamedTuple):
    """What a mark stands for: an element, or a thing that stands by itself, as the file has it."""

    start: int
    end: int
    """`text[start:end]` is written where the mark begins."""
    closing: Range | None
    """And this where it ends, if it is an element with content."""
    order: int
    last: int
    """Tags are opened and closed in this order: one was in another if it lies between its two."""

    def was_in(self, other: Tag) -> bool:
        """Whether this was inside that, in the file."""
        return other.order < self.order and self.last < other.last


class Line:
    """What was read since the last tag that ends a passage."""

    def __init__(self, source: str, *, xml: bool) -> None:
        self.source, self.xml = source, xml
        self.first, self.last = -1, -1
        """`source[first:last]` has all of it, without whitespace at its ends; -1 before there is
        any."""
        self.tags: list[Tag] = []
        self._texts: list[str] = []
        self._length = 0
        self._space = ""
        """Whitespace that belongs to the text if more text follows."""
        self._marks: list[tuple[int, int]] = []
        self._open: dict[int, tuple[int, bool]] = {}
        """By the number of a start tag: its mark, and whether what is in it is kept."""
        self._kept: list[Range] = []
        self._tags_read = 0
        self.is_blank = True
        """Whether there is nothing to read in it."""

    def text(self, token: Token) -> None:
        """Add text."""
        if token.kind == "literal":
            self._cover(token.start, token.end)
            inner = self.source[token.start + len("<![CDATA[") : token.end]
            self._add(readable(inner.removesuffix("]]>")))
            return
        source = self.source[token.start : token.end]
        inner = source.strip(_SPACE)
        if not inner:
            self._pause()
            return
        start = token.start + len(source) - len(source.lstrip(_SPACE))
        self._cover(start, start + len(inner))
        self._add(read_text(source, strict=self.xml))

    def start(self, token: Token, number: int, *, paired: bool, kept: bool) -> None:
        """Add a start tag, whose element ends in this line or has no content or no end."""
        if paired:
            self._open[number] = len(self.tags), kept
        self._mark(token)
        if token.name == "br":
            self._space = "\n" if self._length else ""

    def end(self, token: Token, start: int) -> None:
        """Add an end tag, with the number of its start tag if it has one."""
        if start not in self._open:
            self._mark(token)
            return
        self._cover(token.start, token.end)
        mark, kept = self._open.pop(start)
        place = self._length + len(self._space)
        self._marks[mark] = self._marks[mark][0], place
        self._tags_read += 1
        span = token.start, token.end
        self.tags[mark] = self.tags[mark]._replace(closing=span, last=self._tags_read)
        if kept:
            self._kept.append(self._marks[mark])

    def standing(self, token: Token) -> None:
        """Add a thing that stands by itself."""
        self._mark(token)

    def passage(self) -> Passage:
        """What a reader reads in it."""
        text, length = "".join(self._texts), self._length
        marks = (
            Mark(min(start, length), min(end, length), tag)
            for tag, (start, end) in enumerate(self._marks)
        )
        kept = [(start, min(end, length)) for start, end in self._kept]
        return Passage(text, tuple(marks), kept_parts(text, [*kept, *template_parts(text)]))

    def _mark(self, token: Token) -> None:
        self._cover(token.start, token.end)
        place = self._length + len(self._space)
        self._marks.append((place, place))
        self._tags_read += 1
        order = self._tags_read
        self.tags.append(Tag(token.start, token.end, None, order, order))

    def _cover(self, start: int, end: int) -> None:
        self.first = start if self.first < 0 else self.first
        self.last = end

    def _pause(self) -> None:
        """Add whitespace."""
        if self._length and not self._space:
            self._space = " "

    def _add(self, text: str) -> None:
        """Add text, with one space for each run of whitespace, and none before and after all."""
        inner = text.strip(_SPACE)
        if text and text[0] in _SPACE:
            self._pause()
        if not inner:
            return
        self._texts += self._space, _SPACES.sub(" ", inner)
        self._length += len(self._space) + len(self._texts[-1])
        self._space = " " if text[-1] in _SPACE else ""
        self.is_blank = self.is_blank and inner.isspace()


def template_parts(text: str) -> list[Range]:
    """Where there are instructions of a template: they are for its machine."""
    return [match.span() for match in _TEMPLATE.finditer(text)] if "{" in text else []
