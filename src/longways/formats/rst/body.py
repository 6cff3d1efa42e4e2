"""Body elements of reStructuredText: from lines to the slots of their texts.

The parser of docutils keeps no places of what it finds, so blocks are found here by its rules:
blocks are separated by blank lines, what is in a list item is indented as its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from longways.formats.rst.blocks import Block, Place, Slot, SlotKind, plain_inline
from longways.formats.rst.explicit import explicit_markup
from longways.formats.rst.lines import (
    Line,
    indentation,
    indented,
    joined,
    lines_of,
    on_one_line,
    trimmed,
    width,
)
from longways.formats.rst.literal import literal_end
from longways.formats.rst.markers import (
    ADORNMENT,
    ANONYMOUS,
    ATTRIBUTION,
    BULLET,
    DOCTEST,
    EXPLICIT,
    FIELD,
    GRID,
    LINE_BLOCK,
    NUMBER,
    OPTIONS,
    SIMPLE,
)
from longways.formats.rst.tables.block import grid_table, simple_table
from longways.formats.rst.text.passages import Reader

MAX_DEPTH = 40
"""Blocks that are nested deeper stay as they are."""

_WITHOUT_TEXT = frozenset(["orphan", "nocomments", "nosearch", "no-search", "tocdepth"])
"""Fields of a page for programs."""


class Body:
    """Finds the texts of a file."""

    def __init__(self, text: str, reader: Reader, warnings: list[str]) -> None:
        self.text, self.reader, self.warnings = text, reader, warnings

    def blocks(self, lines: Sequence[Line], place: Place) -> Iterator[Block]:
        """The blocks of lines; the indentation of the first one is that of all."""
        lines = trimmed(lines)
        if not lines or self._is_too_deep(lines[0], place):
            return
        base = min(line.column for line in lines if not line.is_blank)
        at = 0
        while at < len(lines):
            if lines[at].is_blank:
                at += 1
                continue
            if lines[at].column > base:
                end = indented(lines, at, base + 1)
                yield from self.blocks(lines[at:end], place._replace(depth=place.depth + 1))
            else:
                end, found = self._element(lines, at, place)
                yield from found
            at = max(end, at + 1)

    def within(self, text: str, place: Place) -> list[Block]:
        """The blocks of the text of a cell."""
        inner = Body(text, self.reader, self.warnings)
        return list(inner.blocks(lines_of(text), Place(place.depth + 1, True)))

    def own(self, line: Line) -> str:
        """The visible text of a line."""
        return self.text[line.begin : line.end]

    def slot(
        self,
        lines: Sequence[Line],
        kind: SlotKind,
        cut: int = 0,
        *,
        in_list: bool = True,
        is_broken: bool = False,
    ) -> list[Slot]:
        """The slot of some lines without the last `cut` characters, if there is text to read."""
        source = joined(self.text, lines)
        source = source[: len(source) - cut].rstrip()
        start = lines[0].begin
        end = lines[-1].end - (len(joined(self.text, lines)) - len(source))
        inline = plain_inline(source) if kind == "plain" else self.reader.read(source)
        if not source or not inline.is_read:
            return []
        indent = indentation(self.text, start, lines[0].column)
        return [
            Slot(
                start,
                end,
                kind,
                inline,
                on_one_line(source),
                indent,
                in_list=in_list,
                is_broken=is_broken,
            )
        ]

    def _is_too_deep(self, line: Line, place: Place) -> bool:
        if place.depth < MAX_DEPTH:
            return False
        if any("nested" in warning for warning in self.warnings):
            return True
        number = self.text.count("\n", 0, line.begin) + 1
        self.warnings.append(
            f"Line {number}: blocks are nested so deep that what is in them was left as it is; "
            "move it further out to have it translated."
        )
        return True

    def _element(self, lines: Sequence[Line], at: int, place: Place) -> tuple[int, list[Block]]:
        """The element that begins at a line, and the number of the line after it."""
        own = self.own(lines[at])
        if match := BULLET.match(own):
            return self._item(lines, at, match.end(), place)
        if (match := NUMBER.match(own)) and self._is_item(lines, at):
            return self._item(lines, at, match.end(), place)
        for pattern, element in self._elements():
            if match := pattern.match(own):
                return element(lines, at, match, place)
        if ADORNMENT.match(own) and (found := self._overlined(lines, at)):
            return found
        return self._text(lines, at, place)

    def _elements(self) -> list[tuple[re.Pattern[str], _Element]]:
        def with_body(function: Callable[..., tuple[int, list[Block]]]) -> _Element:
            return lambda *given: function(self, *given)

        return [
            (FIELD, self._field),
            (OPTIONS, self._option),
            (DOCTEST, self._skipped),
            (LINE_BLOCK, self._line_block),
            (GRID, with_body(grid_table)),
            (SIMPLE, with_body(simple_table)),
            (EXPLICIT, with_body(explicit_markup)),
            (ANONYMOUS, self._skipped),
        ]

    def _item(
        self, lines: Sequence[Line], at: int, offset: int, place: Place
    ) -> tuple[int, list[Block]]:
        first = lines[at].inner(self.text, offset)
        if first.is_blank:
            end = indented(lines, at + 1, lines[at].column + 1)
            return end, self.inside(lines[at + 1 : end], place)
        end = indented(lines, at + 1, first.column)
        return end, self.inside([first, *lines[at + 1 : end]], place)

    def inside(self, lines: Sequence[Line], place: Place) -> list[Block]:
        """The blocks of a list item or another block."""
        return list(self.blocks(lines, Place(place.depth + 1, True)))

    def _is_item(self, lines: Sequence[Line], at: int) -> bool:
        """Whether the line after an enumerator can follow it; else it is text."""
        if at + 1 == len(lines) or lines[at + 1].is_blank:
            return True
        following = lines[at + 1]
        return following.column > lines[at].column or bool(NUMBER.match(self.own(following)))

    def hanging(self, lines: Sequence[Line], at: int, offset: int) -> tuple[int, list[Line]]:
        """A block whose first line begins behind a marker, and is as deep as the other lines."""
        end = indented(lines, at + 1, lines[at].column + 1)
        first = lines[at].inner(self.text, offset)
        rest = list(lines[at + 1 : end])
        depths = [line.column for line in rest if not line.is_blank]
        return end, [first._replace(column=min(depths, default=first.column)), *rest]

    def _field(
        self, lines: Sequence[Line], at: int, match: re.Match[str], place: Place
    ) -> tuple[int, list[Block]]:
        end, within = self.hanging(lines, at, match.end())
        if match[1].strip().lower() in _WITHOUT_TEXT:
            return end, []
        begin = lines[at].begin
        name = Line(begin + match.start(1), begin + match.end(1), lines[at].column)
        named = self.slot([name], "name") if not match[1].isascii() else []
        return end, [*named, *self.inside(within, place)]

    def _option(
        self, lines: Sequence[Line], at: int, match: re.Match[str], place: Place
    ) -> tuple[int, list[Block]]:
        end, within = self.hanging(lines, at, match.end())
        return end, self.inside(within, place)

    def _skipped(
        self, lines: Sequence[Line], at: int, match: re.Match[str], place: Place
    ) -> tuple[int, list[Block]]:
        while at < len(lines) and not lines[at].is_blank:
            at += 1
        return at, []

    def _line_block(
        self, lines: Sequence[Line], at: int, match: re.Match[str], place: Place
    ) -> tuple[int, list[Block]]:
        """Each line of a line block, with the indented lines that continue it."""
        found, base = list[Block](), lines[at].column
        while at < len(lines) and not lines[at].is_blank:
            marker = LINE_BLOCK.match(self.own(lines[at]))
            if lines[at].column != base or not marker:
                break
            group = [lines[at].inner(self.text, marker.end())]
            at += 1
            while at < len(lines) and not lines[at].is_blank and lines[at].column > base:
                group.append(lines[at])
                at += 1
            found += [] if group[0].is_blank else self.slot(group, "argument")
        return at, found

    def _overlined(self, lines: Sequence[Line], at: int) -> tuple[int, list[Block]] | None:
        """A title with a line of signs above and below it, or a transition."""
        over = self.own(lines[at])
        if at + 1 == len(lines) or lines[at + 1].is_blank:
            return (at + 1, []) if len(over) >= 4 else None
        if at + 2 >= len(lines) or self.own(lines[at + 2])[:1] != over[0]:
            return None
        if not ADORNMENT.match(self.own(lines[at + 2])):
            return None
        return at + 3, self._title(lines[at + 1], (lines[at], lines[at + 2]))

    def _title(self, title: Line, adornments: tuple[Line, ...]) -> list[Block]:
        inset = " " * (title.column - adornments[0].column)
        signs = max(map(self.own, adornments), key=len) + inset
        places = tuple((line.begin, line.end) for line in adornments)
        found = self.slot([title], "title")
        indent = indentation(self.text, adornments[0].begin, adornments[0].column)
        return [
            Slot(s.start, s.end, "title", s.inline, s.source, indent, places, signs) for s in found
        ]

    def _text(self, lines: Sequence[Line], at: int, place: Place) -> tuple[int, list[Block]]:
        """A title, an item of a definition list or a paragraph."""
        base, following = lines[at].column, lines[at + 1] if at + 1 < len(lines) else None
        if following and not following.is_blank:
            own = self.own(following)
            fits = len(own) >= min(4, width(self.own(lines[at])))
            if following.column == base and ADORNMENT.match(own) and fits:
                return at + 2, self._title(lines[at], (following,))
            if following.column > base:
                return self._definition(lines, at, place)
        return self._paragraph(lines, at, place)

    def _definition(self, lines: Sequence[Line], at: int, place: Place) -> tuple[int, list[Block]]:
        end = indented(lines, at + 1, lines[at].column + 1)
        if self.own(lines[at]).endswith("::"):
            return end, []  # code whose blank line is missing
        return end, [*self.term(lines[at]), *self.inside(lines[at + 1 : end], place)]

    def term(self, line: Line) -> list[Slot]:
        """The slots of a term and its classifiers."""
        own, found, start = self.own(line), list[Slot](), 0
        for match in (*re.finditer(" : ", own), None):
            end = match.start() if match else len(own)
            part = Line(line.begin + start, line.begin + end, line.column).inner(self.text, 0)
            kind: SlotKind = "argument" if start else "term"
            found += self.slot([part], kind) if not part.is_blank else []
            start = match.end() if match else end
        return found

    def _paragraph(self, lines: Sequence[Line], at: int, place: Place) -> tuple[int, list[Block]]:
        base, end = lines[at].column, at
        while end < len(lines) and not lines[end].is_blank and lines[end].column == base:
            end += 1
        is_broken = end < len(lines) and not lines[end].is_blank
        group = list(lines[at:end])
        last = self.own(group[-1])
        is_literal = last.endswith("::") and not last.endswith("\\::")
        if dash := ATTRIBUTION.match(self.own(group[0])):
            group[0] = group[0].inner(self.text, dash.end())._replace(column=base)
        if not is_literal:
            found = self.slot(group, "paragraph", in_list=place.in_list, is_broken=is_broken)
            return end, list(found)
        found = [] if last == "::" and len(group) == 1 else self._before_literal(group, last)
        found = [replace(one, is_broken=is_broken) for one in found]
        return literal_end(self.text, lines, end, base), list(found)

    def _before_literal(self, group: Sequence[Line], last: str) -> list[Slot]:
        bare = last[:-2]
        if bare.endswith(" ") or not bare:
            return self.slot(group, "paragraph", cut=2)
        return self.slot(group, "literal", cut=1)


_Element = Callable[[Sequence[Line], int, re.Match[str], Place], tuple[int, list[Block]]]
"""Reads an element that begins at a line: the number of the line after it, and its blocks."""
