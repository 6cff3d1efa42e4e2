"""Tables with ruled lines: cells are the boxes between the lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from longways.formats.pdf.layout.atoms import Table
from longways.formats.pdf.layout.lines import read_lines
from longways.formats.pdf.pages.rulings import Ruling
from longways.formats.pdf.pages.words import Word

_SNAP = 3.0
"""Lines nearer than this, in points, are one line."""
_MAX_RULINGS = 2_000
"""A page with more lines is a drawing."""
_MAX_CELLS = 20_000
_MIN_IN_STEP = 0.7
"""The share of the cells of a box that have text at each height, if these are rows."""
_MIN_FILLED_CELLS = 2
_MAX_WORDS_SHARE = 0.8
"""A table with one cell that has a larger share of its words is a frame around text."""


def ruled_tables(rulings: Sequence[Ruling], words: Sequence[Word]) -> Iterator[Table]:
    """The tables of a page, from top to bottom; no word is in two of them."""
    if len(rulings) > _MAX_RULINGS:
        return
    left = list(words)
    for lines in _connected(rulings):
        rows = _snapped(line.top for line in lines if line.is_horizontal)
        columns = _snapped(line.left for line in lines if not line.is_horizontal)
        if len(rows) < 2 or len(columns) < 3 or len(rows) * len(columns) > _MAX_CELLS:
            continue
        inside = [word for word in left if _is_inside(word, columns, rows)]
        table = _table(inside, columns, rows, lines)
        if table:
            yield table
            taken = {word.place for word in inside}
            left = [word for word in left if word.place not in taken]


def _is_inside(word: Word, columns: Sequence[float], rows: Sequence[float]) -> bool:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return columns[0] - _SNAP < x < columns[-1] + _SNAP and rows[0] - _SNAP < y < rows[-1] + _SNAP


def _connected(rulings: Sequence[Ruling]) -> Iterator[list[Ruling]]:
    """Lines that touch each other, as sets with at least a horizontal and a vertical line."""
    parents = list(range(len(rulings)))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    order = sorted(range(len(rulings)), key=lambda place: rulings[place].top)
    active = list[int]()
    for place in order:
        line = rulings[place]
        active = [other for other in active if rulings[other].bottom >= line.top - _SNAP]
        for other in active:
            if (
                rulings[other].left <= line.right + _SNAP
                and line.left <= rulings[other].right + _SNAP
            ):
                parents[root(other)] = root(place)
        active.append(place)
    sets: dict[int, list[Ruling]] = {}
    for place in order:
        sets.setdefault(root(place), []).append(rulings[place])
    yield from (lines for lines in sets.values() if len(lines) > 2)


def _snapped(values: Iterable[float]) -> list[float]:
    """Values in order, with one for those that are near each other."""
    found = list[float]()
    for value in sorted(values):
        if not found or value - found[-1] > _SNAP:
            found.append(value)
    return found


def _table(
    words: Sequence[Word], columns: Sequence[float], rows: Sequence[float], lines: Sequence[Ruling]
) -> Table | None:
    """The table of a grid; cells without a line between them are one cell."""
    walls, floors = _walls(lines, columns, rows), _floors(lines, columns, rows)
    cells: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        row = min(max(bisect_right(rows, (word.top + word.bottom) / 2) - 1, 0), len(rows) - 2)
        column = bisect_right(columns, (word.left + word.right) / 2) - 1
        column = min(max(column, 0), len(columns) - 2)
        while column > 0 and (row, column) not in walls:
            column -= 1
        while row > 0 and (row, column) not in floors:
            row -= 1
        cells.setdefault((row, column), []).append(word)
    largest = max((len(cell) for cell in cells.values()), default=0)
    used = sorted({column for _, column in cells})
    if len(cells) < _MIN_FILLED_CELLS or len(used) < 2 or largest > _MAX_WORDS_SHARE * len(words):
        return None
    found = [[cells.get((row, col), []) for col in used] for row in sorted({r for r, _ in cells})]
    return Table(
        [part for row in found for part in _divided(row)],
        columns[0],
        columns[-1],
        rows[0],
        rows[-1],
    )


def _divided(row: list[list[Word]]) -> list[list[list[Word]]]:
    """The rows of a box with several rows of cells, between which no line is."""
    lines = [read_lines(cell) for cell in row]
    filled = sum(bool(cell) for cell in lines)
    heights = _snapped(line.base for cell in lines for line in cell)
    if filled < 2 or len(heights) < 2:
        return [row]
    rows: list[list[list[Word]]] = [[[] for _ in row] for _ in heights]
    for column, cell in enumerate(lines):
        for line in cell:
            rows[max(bisect_right(heights, line.base) - 1, 0)][column] += line.words
    if any(sum(map(bool, part)) < max(_MIN_IN_STEP * filled, 2) for part in rows):
        return [row]
    return rows


def _walls(
    lines: Sequence[Ruling], columns: Sequence[float], rows: Sequence[float]
) -> set[tuple[int, int]]:
    """The cells (row, column) with a line at their left edge."""
    found = set[tuple[int, int]]()
    for line in lines:
        if line.is_horizontal:
            continue
        column = bisect_right(columns, line.left + _SNAP) - 1
        for row, (top, bottom) in enumerate(pairwise(rows)):
            if line.top <= (top + bottom) / 2 <= line.bottom:
                found.add((row, column))
    return found


def _floors(
    lines: Sequence[Ruling], columns: Sequence[float], rows: Sequence[float]
) -> set[tuple[int, int]]:
    """The cells (row, column) with a line at their upper edge."""
    found = set[tuple[int, int]]()
    for line in lines:
        if not line.is_horizontal:
            continue
        row = bisect_right(rows, line.top + _SNAP) - 1
        for column, (left, right) in enumerate(pairwise(columns)):
            if line.left <= (left + right) / 2 <= line.right:
                found.add((row, column))
    return found
