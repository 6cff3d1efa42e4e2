"""The order in which a page is read: columns from left to right, each from top to bottom.

A page is cut into strips by horizontal white space. Strips that share a vertical gap, the gutter,
are one group. If its columns are text and not the columns of a table, they are read one by one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from longways.formats.pdf.layout.aligned import aligned_table
from longways.formats.pdf.layout.atoms import Atom, Interval
from longways.formats.pdf.layout.lines import read_lines
from longways.formats.pdf.pages.characters import width
from longways.formats.pdf.pages.words import Word

_GUTTER = 0.75
"""The narrowest gutter, in units of the median size."""
_TALL = 8.0
"""Strips of this height, in units of the narrowest gutter, have no gutters by chance."""
_MAX_DEPTH = 4
_MIN_LINES, _MIN_WIDE_LINES, _WIDE_GUTTER = 3, 2, 2.5
"""A column has this many lines; fewer beside a gutter that is wide in units of the size."""
_MIN_LINE_WIDTH = 14
"""The median line of a column of text is at least this wide, in characters."""
_MIN_FILL, _MIN_WIDTH_SHARE = 0.6, 0.35
"""How much of a column its median line fills, and its width beside the widest column."""
_ROW_GAP, _MIN_ROWS = 0.6, 3
"""The gap between rows of a table, in units of the size, and their smallest number."""
_MIN_DENSITY = 0.4
"""The share of a column's height that has text."""


class _Group:
    """Strips that share gutters, which may be none."""

    def __init__(self, strip: list[Atom], free: list[Interval]) -> None:
        self.atoms, self.free = list(strip), free
        self.strips = [strip]
        self.columns: list[list[Atom]] = []
        self.left = min(atom.left for atom in strip)
        self.right = max(atom.right for atom in strip)
        self.top = min(atom.top for atom in strip)
        self.bottom = max(atom.bottom for atom in strip)

    @property
    def gutters(self) -> list[Interval]:
        """The gaps with atoms on both sides."""
        return [gap for gap in self.free if gap[0] >= self.left and gap[1] <= self.right]

    def take(self, other: _Group, narrowest: float) -> bool:
        """Add strips below if gutters stay, or if neither has any; tall strips lose no gutter."""
        shared = _shared(self.free, other.free, narrowest)
        left, right = min(self.left, other.left), max(self.right, other.right)
        goes = any(gap[0] >= left and gap[1] <= right for gap in shared)
        if not goes and (self.gutters or other.gutters):
            return False
        if self._loses(shared, narrowest) or other._loses(shared, narrowest):
            return False
        self.atoms += other.atoms
        self.strips += other.strips
        self.left, self.right, self.free = left, right, shared
        self.bottom = max(self.bottom, other.bottom)
        return True

    def _loses(self, shared: Sequence[Interval], narrowest: float) -> bool:
        """Whether strips that are tall enough to be trusted would lose a gutter."""
        if self.bottom - self.top < _TALL * narrowest:
            return False
        return any(
            not any(gap[0] < right and left < gap[1] for left, right in shared)
            for gap in self.gutters
        )


@dataclass(frozen=True)
class Region:
    """Words and tables that are read from top to bottom."""

    atoms: list[Atom]


def read_regions(atoms: Sequence[Atom], depth: int = 0) -> Iterator[Region]:
    """The regions of a page in reading order."""
    if not atoms:
        return
    size = median([atom.bottom - atom.top for atom in atoms if isinstance(atom, Word)] or [10.0])
    groups = list(_groups(_strips(atoms), _GUTTER * size))
    for group in groups:
        group.columns = _columns(group, size) if depth < _MAX_DEPTH else []
    for before, after in pairwise(groups):
        _give_beginning(before, after)
    loose = list[Atom]()
    for group in groups:
        if not group.columns:
            loose += _whole(group)
            continue
        if loose:
            yield Region(loose)
            loose = []
        for column in group.columns:
            yield from read_regions(column, depth + 1)
    if loose:
        yield Region(loose)


def _whole(group: _Group) -> list[Atom]:
    """A group that has no columns of text: a table, or its words."""
    if not group.atoms or not group.gutters:
        return group.atoms
    table = aligned_table(group.atoms, group.gutters)
    return [table] if table else group.atoms


def _give_beginning(before: _Group, after: _Group) -> None:
    """Move the last strips of a group to the columns below, of which they are the first lines."""
    if before.columns or not after.columns:
        return
    edges = [
        (max(atom.right for atom in one), min(atom.left for atom in two))
        for one, two in pairwise(after.columns)
    ]
    middles = [(left + right) / 2 for left, right in edges]
    while before.strips:
        strip = before.strips[-1]
        parts = _divided(strip, edges)
        if not all(parts) or any(
            atom.left < middle < atom.right for atom in strip for middle in middles
        ):
            break
        before.strips.pop()
        for column, part in zip(after.columns, parts, strict=True):
            column += part
    before.atoms = [atom for strip in before.strips for atom in strip]


def _strips(atoms: Sequence[Atom]) -> Iterator[list[Atom]]:
    """Atoms that overlap vertically, from top to bottom."""
    strip, bottom = list[Atom](), 0.0
    for atom in sorted(atoms, key=lambda atom: atom.top):
        if strip and atom.top >= bottom:
            yield strip
            strip = []
        bottom = max(bottom, atom.bottom) if strip else atom.bottom
        strip.append(atom)
    if strip:
        yield strip


def _groups(strips: Iterator[list[Atom]], narrowest: float) -> Iterator[_Group]:
    """Strips that share gutters, each group as long as it can be."""
    group: _Group | None = None
    for strip in strips:
        other = _Group(strip, _free(strip, narrowest))
        if group is None:
            group = other
        elif not group.take(other, narrowest):
            yield group
            group = other
    if group:
        yield group


def _columns(group: _Group, size: float) -> list[list[Atom]]:
    """The columns of text in a group; none if its gutters divide something else."""
    gutters = list(group.gutters)
    while gutters:
        columns = _divided(group.atoms, gutters)
        widths = [_extent(column) for column in columns]
        for place, column in enumerate(columns):
            sides = gutters[max(place - 1, 0) : place + 1]
            widest = max(gap[1] - gap[0] for gap in sides)
            if not _is_text(column, widths[place], max(widths), widest / size):
                if len(gutters) == len(group.gutters) and aligned_table(group.atoms, gutters):
                    return []
                gutters.remove(min(sides, key=lambda gap: gap[1] - gap[0]))
                break
        else:
            return [] if _is_in_step(columns, size) else columns
    return []


def _divided(atoms: Sequence[Atom], gutters: Sequence[Interval]) -> list[list[Atom]]:
    columns: list[list[Atom]] = [[] for _ in range(len(gutters) + 1)]
    middles = [(left + right) / 2 for left, right in gutters]
    for atom in atoms:
        columns[bisect_left(middles, (atom.left + atom.right) / 2)].append(atom)
    return columns


def _extent(atoms: Sequence[Atom]) -> float:
    return max(atom.right for atom in atoms) - min(atom.left for atom in atoms)


def _is_text(column: Sequence[Atom], extent: float, widest: float, gutter: float) -> bool:
    """Whether a column is text, not the cells of a table or the signs of a list."""
    if any(not isinstance(atom, Word) for atom in column):
        return extent >= _MIN_WIDTH_SHARE * widest
    lines = read_lines(word for word in column if isinstance(word, Word))
    if len(lines) < (_MIN_WIDE_LINES if gutter > _WIDE_GUTTER else _MIN_LINES):
        return False
    height = lines[-1].base - lines[0].base + lines[0].size
    return (
        extent >= _MIN_WIDTH_SHARE * widest
        and median(width(line.text) for line in lines) >= _MIN_LINE_WIDTH
        and median(line.right - line.left for line in lines) >= _MIN_FILL * extent
        and sum(line.size for line in lines) >= _MIN_DENSITY * height
    )


def _is_in_step(columns: Sequence[Sequence[Atom]], size: float) -> bool:
    """Whether all columns have their gaps at the same heights, as the rows of a table do."""
    atoms = sorted((atom for column in columns for atom in column), key=lambda atom: atom.top)
    rows, bottom = 1, atoms[0].bottom
    for atom in atoms:
        rows += atom.top - bottom > _ROW_GAP * size
        bottom = max(bottom, atom.bottom)
    if rows < _MIN_ROWS:
        return False
    return all(_gaps(column, size) in range(rows - 1, rows + 1) for column in columns)


def _gaps(column: Sequence[Atom], size: float) -> int:
    """The number of parts into which vertical gaps divide a column."""
    parts, bottom = 1, float("inf")
    for atom in sorted(column, key=lambda atom: atom.top):
        parts += atom.top - bottom > _ROW_GAP * size
        bottom = atom.bottom if bottom == float("inf") else max(bottom, atom.bottom)
    return parts


def _free(atoms: Sequence[Atom], narrowest: float) -> list[Interval]:
    """The horizontal gaps between atoms, with all that is left and right of them."""
    free, right = list[Interval](), float("-inf")
    for atom in sorted(atoms, key=lambda atom: atom.left):
        if atom.left - right >= narrowest:
            free.append((right, atom.left))
        right = max(right, atom.right)
    return [*free, (right, float("inf"))]


def _shared(one: Sequence[Interval], two: Sequence[Interval], narrowest: float) -> list[Interval]:
    """What two lists of intervals share, without what is too narrow."""
    shared, first, second = list[Interval](), 0, 0
    while first < len(one) and second < len(two):
        left = max(one[first][0], two[second][0])
        right = min(one[first][1], two[second][1])
        if right - left >= narrowest:
            shared.append((left, right))
        if one[first][1] < two[second][1]:
            first += 1
        else:
            second += 1
    return shared
