"""Cells of `csv-table` directives: values between commas, with or without quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longways.formats.base import Passage
from longways.formats.rst.blocks import Block, Edit, Place, Writing
from longways.formats.rst.directives import OPTION
from longways.formats.rst.lines import Line, on_one_line
from longways.formats.rst.tables.cells import CellText, cell_text

if TYPE_CHECKING:
    from longways.formats.rst.body import Body

_CELL = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|([^",\n\r][^,\n\r]*))[ \t]*(?=,|[\r\n]|\Z)|,|\s')
_OTHER = frozenset(["delim", "quote", "escape", "file", "url"])


@dataclass(frozen=True)
class CsvCell:
    """A value and its place, without its quotes."""

    start: int
    end: int
    cell: CellText
    is_quoted: bool

    @property
    def inner(self) -> Sequence[Block]:
        """The blocks of the value."""
        return self.cell.blocks

    def passages(self) -> Iterator[Passage]:
        """The passages of the value."""
        return self.cell.passages()

    def edits(self, new: Iterator[Passage], writing: Writing) -> Iterator[Edit]:
        """The new value with quotes where it needs them."""
        text = "\n".join(self.cell.written(new, writing))
        if text == self.cell.text:
            return
        text = text.replace('"', '""')
        if not self.is_quoted:
            text = on_one_line(text)
            text = f'"{text}"' if re.search('[,"]', text) else text
        yield self.start, self.end, text


def csv_cells(body: Body, options: Sequence[Line], content: Sequence[Line]) -> list[Block]:
    """The values of a table and of its `:header:`; other separators than commas are not read."""
    names = {m[1]: line for line in options if (m := OPTION.match(body.own(line)))}
    if not _OTHER.isdisjoint(names):
        return []
    found = list[Block]()
    if line := names.get("header"):
        match = OPTION.match(body.own(line))
        found += _cells(body, line.begin + (match.end() if match else 0), line.end)
    if content:
        found += _cells(body, content[0].begin, content[-1].end)
    return found


def _cells(body: Body, start: int, end: int) -> Iterator[CsvCell]:
    place = start
    while place < end and (match := _CELL.match(body.text, place, end)):
        place = match.end()
        group = 1 if match[1] is not None else 2
        if not match[group]:
            continue
        first, last = match.span(group)
        own = body.text[first:last].rstrip() if group == 2 else body.text[first:last]
        lines = own.replace('""', '"').splitlines() if group == 1 else [own]
        lines = [lines[0], *(line.strip() for line in lines[1:])]
        cell = cell_text(body, lines, Place(1, True))
        if any(True for _ in cell.passages()):
            yield CsvCell(first, first + len(own), cell, group == 1)
