"""Inline content of a block: collects its text and marks, token by token."""

from __future__ import annotations

import re
from typing import NamedTuple

from longways.formats.base import Mark, Passage
from longways.formats.html.references import read_text, readable
from longways.formats.html.tokens import Token
from longways.formats.placeholders import Range, kept_parts

_SPACE = "\t\n\f\r "
_SPACES = re.compile(f"[{_SPACE}]+")
_TEMPLATE = re.compile(r"\{%[^{}%]*%\}|\{\{[^{}]*\}\}")


class Tag(NamedTuple):
    """The tags of a mark: an inline element or a standalone tag."""

    start: int
    end: int
    """`text[start:end]` is the start tag, written where the mark begins."""
    closing: Range | None
    """Range of the end tag, if the element has content."""
    order: int
    last: int
    """Numbers of the start and end tag in file order, by which nesting is known."""
    spaces: tuple[bool, bool] = (False, False)
    """Whether whitespace stands before and after a standalone item, other than a line break."""

    def was_in(self, other: Tag) -> bool:
        """Whether this element was inside the other in the file."""
        return other.order < self.order and self.last < other.last


class Line:
    """The inline content since the last tag that ends a passage."""

    def __init__(self, source: str, *, xml: bool) -> None:
        self.source, self.xml = source, xml
        self.first, self.last = -1, -1
        """`source[first:last]` is the content without outer whitespace; -1 without content."""
        self.tags: list[Tag] = []
        self._texts: list[str] = []
        self._length = 0
        self._space = ""
        """Whitespace that belongs to the text if more text follows."""
        self._marks: list[tuple[int, int]] = []
        self._open: dict[int, tuple[int, bool]] = {}
        """For each open start tag, its mark, and whether its content is kept."""
        self._kept: list[Range] = []
        self._breaks: list[int] = []
        self._tags_read = 0
        self.is_blank = True
        """Whether the content is blank."""

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
        """Add a start tag; `paired` if its end tag follows in this content."""
        if paired:
            self._open[number] = len(self.tags), kept
        self._mark(token)
        if token.name == "br":
            self._space = "\n" if self._length else ""
            self._breaks += [self._length] if self._length else []

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
        """Add a standalone item."""
        self._mark(token)

    def passage(self) -> Passage:
        """The passage of this content."""
        text, length = "".join(self._texts), self._length
        places = [(min(start, length), min(end, length)) for start, end in self._marks]
        own = [(start, min(end, length)) for start, end in self._kept]
        breaks = tuple(place for place in self._breaks if place < length)
        kept = kept_parts(text, [*own, *template_parts(text)], breaks, places)
        marks = tuple(Mark(*place, tag) for tag, place in enumerate(places))
        return Passage(text, marks, kept, breaks)

    def _mark(self, token: Token) -> None:
        self._cover(token.start, token.end)
        place = self._length + len(self._space)
        self._marks.append((place, place))
        self._tags_read += 1
        order, spaces = self._tags_read, (False, False)
        if token.name != "br":
            before, after = (
                self.source[token.start - 1 : token.start],
                self.source[token.end : token.end + 1],
            )
            spaces = before.isspace(), after.isspace()
        self.tags.append(Tag(token.start, token.end, None, order, order, spaces))

    def _cover(self, start: int, end: int) -> None:
        self.first = start if self.first < 0 else self.first
        self.last = end

    def _pause(self) -> None:
        """Add whitespace."""
        if self._length and not self._space:
            self._space = " "

    def _add(self, text: str) -> None:
        """Add text with normalised whitespace."""
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
    """Ranges of template instructions, which are not translated."""
    return [match.span() for match in _TEMPLATE.finditer(text)] if "{" in text else []
