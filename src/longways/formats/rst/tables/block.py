"""Tables as blocks: a table with a new cell is drawn again as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longways.formats.base import Passage
from longways.formats.rst.blocks import Block, Edit, Place, Writing
from longways.formats.rst.lines import Line, indentation
from longways.formats.rst.tables.cells import CellText, cell_text
from longways.formats.rst.tables.grid import Box, Grid, draw_grid, read_grid
from longways.formats.rst.tables.screen import cut
from longways.formats.rst.tables.simple import Row, Simple, draw_simple, read_simple

if TYPE_CHECKING:
    from longways.formats.rst.body import Body


@dataclass(frozen=True)
class Table:
    """A table and its place; its cells are in reading order."""

    start: int
    end: int
    indent: str
    shape: Grid | Simple
    cells: Sequence[CellText]

    @property
    def inner(self) -> list[Block]:
        """The blocks of all cells."""
        return [block for cell in self.cells for block in cell.blocks]

    def passages(self) -> Iterator[Passage]:
        """The passages of all cells."""
        for cell in self.cells:
            yield from cell.passages()

    def edits(self, new: Iterator[Passage], writing: Writing) -> Iterator[Edit]:
        """The whole table, if a cell is new."""
        if isinstance(self.shape, Grid):
            boxes = self.shape.boxes
            written = [
                cell.written(new, writing, box.right - box.left - 2 - cell.margin)
                for cell, box in zip(self.cells, boxes, strict=True)
            ]
        else:
            written = [cell.written(new, writing) for cell in self.cells]
        own = [cell.text.split("\n") for cell in self.cells]
        if written == own:
            return
        texts = [
            [" " * cell.margin + line if line else "" for line in lines]
            for cell, lines in zip(self.cells, written, strict=True)
        ]
        rows = _drawn(self.shape, texts)
        yield self.start, self.end, f"\n{self.indent}".join(row.rstrip() for row in rows)


def _drawn(shape: Grid | Simple, texts: list[list[str]]) -> list[str]:
    if isinstance(shape, Grid):
        by_box: dict[Box, list[str]] = dict(zip(shape.boxes, texts, strict=True))
        return draw_grid(shape, by_box)
    left = iter(texts)
    rows = [part for part in shape.parts if isinstance(part, Row)]
    return draw_simple(shape, [[next(left) for _ in row.cells] for row in rows])


def grid_table(
    body: Body, lines: Sequence[Line], at: int, _: re.Match[str], place: Place
) -> tuple[int, list[Block]]:
    """The grid table that begins at a line."""
    end = at
    while end < len(lines) and not lines[end].is_blank and body.own(lines[end])[0] in "+|":
        end += 1
    grid = read_grid([body.own(line) for line in lines[at:end]])
    if grid is None:
        return _malformed(body, lines[at], end)
    cells = [
        cell_text(body, [cut(grid.rows[n], b.left + 1, b.right) for n in _rows(b)], place)
        for b in grid.boxes
    ]
    return end, _table(body, lines[at:end], grid, cells)


def _rows(box: Box) -> range:
    return range(box.top + 1, box.bottom)


def simple_table(
    body: Body, lines: Sequence[Line], at: int, _: re.Match[str], place: Place
) -> tuple[int, list[Block]]:
    """The simple table that begins at a line."""
    end = _simple_end(body, lines, at)
    base = lines[at].column
    own = [" " * max(line.column - base, 0) + body.own(line) for line in lines[at:end]]
    table = read_simple(own) if end - at > 2 and "\t" not in "".join(own) else None
    if table is None:
        return _malformed(body, lines[at], max(end, at + 1))
    rows = [part for part in table.parts if isinstance(part, Row)]
    cells = [cell_text(body, cell, place) for row in rows for cell in row.cells]
    return end, _table(body, lines[at:end], table, cells)


def _simple_end(body: Body, lines: Sequence[Line], at: int) -> int:
    """The number of the line after a table: its last rule is the third or before a blank line."""
    found = 0
    for n in range(at + 1, len(lines)):
        own = body.own(lines[n])
        if own and not own.strip("= ") and lines[n].column == lines[at].column:
            found += 1
            if found == 2 or n + 1 == len(lines) or lines[n + 1].is_blank:
                return n + 1
    return at + 1


def _table(
    body: Body, lines: Sequence[Line], shape: Grid | Simple, cells: list[CellText]
) -> list[Block]:
    indent = indentation(body.text, lines[0].begin, lines[0].column)
    return [Table(lines[0].begin, lines[-1].end, indent, shape, cells)]


def _malformed(body: Body, line: Line, end: int) -> tuple[int, list[Block]]:
    number = body.text.count("\n", 0, line.begin) + 1
    body.warnings.append(
        f"Line {number}: the borders of a table do not meet, so it was left as it is; align its "
        "columns (a Chinese character is two columns wide) to have it translated."
    )
    return end, []
