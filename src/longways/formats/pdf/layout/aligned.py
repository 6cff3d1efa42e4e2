"""Tables without ruled lines: rows whose cells stand below each other."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from statistics import median

from longways.formats.pdf.layout.atoms import Atom, Interval, Table
from longways.formats.pdf.layout.lines import Line, read_lines
from longways.formats.pdf.pages.characters import width
from longways.formats.pdf.pages.words import Word

_MIN_ROWS, _MIN_COLUMNS = 3, 2
_MIN_FILLED = 0.7
"""The share of the cells that have text."""
_MIN_FIRST_WIDTH = 3
"""The first cells of a table are wider than the signs of a list, in characters."""
_TEXT_WIDTH = 30
"""Two columns whose median line is as wide as this are columns of text, in characters."""
_MAX_CELL_WIDTH = 60
"""A cell of one line is narrower, in characters."""
_MAX_OTHER = 0.4
"""A larger share of lines of code, or with dots before a page number, is no table."""
_LEADER = re.compile(r"(?:[.·…‥\u2024。_]\s?){4,}")


def aligned_table(atoms: Sequence[Atom], gutters: Sequence[Interval]) -> Table | None:
    """The table whose columns the gutters divide, if that is sure."""
    words = [atom for atom in atoms if isinstance(atom, Word)]
    if len(words) < len(atoms):
        return None
    middles = [(left + right) / 2 for left, right in gutters]
    lines = read_lines(words)
    rows = [_cells(line, middles) for line in lines]
    if not _is_sure(rows) or _share(lines) > _MAX_OTHER:
        return None
    return Table(
        rows,
        min(word.left for word in words),
        max(word.right for word in words),
        min(word.top for word in words),
        max(word.bottom for word in words),
    )


def _cells(line: Line, middles: Sequence[float]) -> list[list[Word]]:
    cells: list[list[Word]] = [[] for _ in range(len(middles) + 1)]
    for word in line.words:
        cells[bisect_left(middles, (word.left + word.right) / 2)].append(word)
    return cells


def _is_sure(rows: Sequence[Sequence[Sequence[Word]]]) -> bool:
    """Whether nearly every row has nearly every cell, and cells are short."""
    if len(rows) < _MIN_ROWS or len(rows[0]) < _MIN_COLUMNS:
        return False
    widths = [[sum(width(word.text) for word in cell) for cell in row] for row in rows]
    filled = sum(count > 0 for row in widths for count in row)
    first = [row[0] for row in widths if row[0]]
    columns = [[count for count in column if count] for column in zip(*widths, strict=True)]
    if sum(bool(column) and median(column) >= _TEXT_WIDTH for column in columns) > 1:
        return False
    return (
        filled >= _MIN_FILLED * len(rows) * len(rows[0])
        and sum(sum(count > 0 for count in row) > 1 for row in widths) >= _MIN_FILLED * len(rows)
        and sum(first) >= _MIN_FIRST_WIDTH * max(len(first), 1)
        and all(count <= _MAX_CELL_WIDTH for row in widths for count in row)
    )


def _share(lines: Sequence[Line]) -> float:
    """The share of the lines that are code or entries of a table of contents."""
    others = sum(line.is_code or bool(_LEADER.search(line.text)) for line in lines)
    return others / len(lines)
