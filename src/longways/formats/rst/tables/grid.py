"""Grid tables: their cells, and how they are drawn again with wider columns.

+-----+-----+
| 甲  | 乙  |
+=====+=====+
| 丙        |
+-----------+
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from longways.formats.rst.lines import width
from longways.formats.rst.tables.screen import screen_row

_HEAD = re.compile(r"\+=[=+]+=\+\s*\Z")
MAX_STEPS = 2_000_000
"""A table whose cells are not found in this number of characters is malformed."""


class Box(NamedTuple):
    """The borders of a cell, in rows and columns of the table."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class Grid:
    """The cells of a table, and the row of the line below its head."""

    rows: Sequence[Sequence[str]]
    boxes: Sequence[Box]
    head: frozenset[int]


def read_grid(lines: Sequence[str]) -> Grid | None:
    """The cells of a table; None if its borders do not meet."""
    head = frozenset(n for n, line in enumerate(lines) if _HEAD.match(line))
    plain = [line.replace("=", "-") if n in head else line for n, line in enumerate(lines)]
    rows = [screen_row(line.rstrip()) for line in plain]
    if len({len(row) for row in rows}) != 1 or any("\t" in line for line in lines):
        return None
    boxes = _Scan(rows).boxes()
    area = sum((b.bottom - b.top) * (b.right - b.left) for b in boxes)
    return Grid(rows, boxes, head) if area == (len(rows) - 1) * (len(rows[0]) - 1) else None


class _Scan:
    """Finds cells from their upper left corners, as docutils does."""

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self.rows, self.steps = rows, 0
        self.bottom, self.right = len(rows) - 1, len(rows[0]) - 1

    def boxes(self) -> list[Box]:
        """All cells, from top to bottom."""
        found, corners, seen = dict[tuple[int, int], Box](), [(0, 0)], {(0, 0)}
        while corners and self.steps < MAX_STEPS:
            top, left = corners.pop()
            box = self._box(top, left)
            if box is None:
                continue
            found[top, left] = box
            for corner in ((top, box.right), (box.bottom, left)):
                if corner not in seen and corner[0] < self.bottom and corner[1] < self.right:
                    seen.add(corner)
                    corners.append(corner)
        return sorted(found.values())

    def _box(self, top: int, left: int) -> Box | None:
        for right in range(left + 1, self.right + 1):
            sign = self.rows[top][right]
            self.steps += 1
            if sign == "+" and (bottom := self._down(top, left, right)):
                return Box(top, left, bottom, right)
            if sign not in ("+", "-") or self.steps > MAX_STEPS:
                return None
        return None

    def _down(self, top: int, left: int, right: int) -> int | None:
        for bottom in range(top + 1, self.bottom + 1):
            sign = self.rows[bottom][right]
            self.steps += 1
            if sign == "+" and self._closed(top, left, bottom, right):
                return bottom
            if sign not in ("+", "|") or self.steps > MAX_STEPS:
                return None
        return None

    def _closed(self, top: int, left: int, bottom: int, right: int) -> bool:
        self.steps += right - left + bottom - top
        below = self.rows[bottom][left : right + 1]
        beside = (self.rows[row][left] for row in range(top, bottom + 1))
        return below[0] == "+" and set(below) <= {"+", "-"} and set(beside) <= {"+", "|"}


def draw_grid(grid: Grid, texts: Mapping[Box, Sequence[str]]) -> list[str]:
    """The table with new lines in its cells; columns become wider, rows as high as they must."""
    across = sorted({b.left for b in grid.boxes} | {b.right for b in grid.boxes})
    down = sorted({b.top for b in grid.boxes} | {b.bottom for b in grid.boxes})
    wide = {b: max(map(width, texts[b]), default=0) + 1 for b in grid.boxes}
    high = {b: len(texts[b]) for b in grid.boxes}
    xs = _stretched(across, {b: (b.left, b.right, wide[b]) for b in grid.boxes}, keep=True)
    ys = _stretched(down, {b: (b.top, b.bottom, high[b]) for b in grid.boxes}, keep=False)
    canvas = [[" "] * (xs[across[-1]] + 1) for _ in range(ys[down[-1]] + 1)]
    for box in grid.boxes:
        _draw_borders(canvas, Box(ys[box.top], xs[box.left], ys[box.bottom], xs[box.right]))
    for box in grid.boxes:
        _draw_text(canvas, texts[box], ys[box.top] + 1, xs[box.left] + 1)
    heads = {ys[row] for row in grid.head}
    rows = ("".join(row) for row in canvas)
    return [row.replace("-", "=") if n in heads else row for n, row in enumerate(rows)]


def _stretched(
    places: Sequence[int], spans: Mapping[Box, tuple[int, int, int]], *, keep: bool
) -> dict[int, int]:
    """New places of borders, between which everything has its room."""
    sizes = [(end - start - 1) if keep else 1 for start, end in pairwise(places)]
    at = {place: n for n, place in enumerate(places)}
    for start, end, need in sorted(spans.values(), key=lambda span: at[span[1]] - at[span[0]]):
        first, last = at[start], at[end]
        room = sum(sizes[first:last]) + last - first - 1
        sizes[last - 1] += max(need - room, 0)
    new, place = dict[int, int](), 0
    for own, size in zip(places, [*sizes, 0], strict=True):
        new[own] = place
        place += size + 1
    return new


def _draw_borders(canvas: list[list[str]], box: Box) -> None:
    for row in (box.top, box.bottom):
        for column in range(box.left + 1, box.right):
            canvas[row][column] = "+" if canvas[row][column] == "+" else "-"
    for column in (box.left, box.right):
        for row in range(box.top + 1, box.bottom):
            canvas[row][column] = "+" if canvas[row][column] == "+" else "|"
    for row in (box.top, box.bottom):
        canvas[row][box.left] = canvas[row][box.right] = "+"


def _draw_text(canvas: list[list[str]], lines: Sequence[str], top: int, left: int) -> None:
    for row, line in enumerate(lines, top):
        chars = screen_row(line)
        canvas[row][left : left + len(chars)] = chars
