"""Simple tables: their rows and cells, and how they are drawn again with wider columns.

=====  =====
甲     乙
=====  =====
丙
------------
丁     戊
=====  =====
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from longways.formats.rst.lines import width
from longways.formats.rst.tables.screen import cut, padded, screen_row

_RULE = re.compile(r"([=-])(?:[ ]*\1)*\s*\Z")
_RUN = re.compile(r"=+|-+")

Span = tuple[int, int]
"""The first and the last column of a cell, counted from 0."""


@dataclass(frozen=True)
class Rule:
    """A line of signs with the columns that each of its runs spans."""

    sign: str
    spans: Sequence[Span]


@dataclass(frozen=True)
class Row:
    """A row with the lines of each of its cells."""

    spans: Sequence[Span]
    cells: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Simple:
    """The columns (start, end) of a table, and its rows and rules in order."""

    columns: Sequence[tuple[int, int]]
    parts: Sequence[Rule | Row]


def read_simple(lines: Sequence[str]) -> Simple | None:
    """The rows of a table; None if text is outside of its columns."""
    columns = [match.span() for match in _RUN.finditer(lines[0])]
    parts, group = list[Rule | Row](), list[list[str]]()
    for line in lines:
        if not _RULE.match(line) or line[0] not in "=-":
            if line[: columns[0][1]].strip() and cut(screen_row(line), *columns[0]):
                parts += _rows(group, columns, None)
                group = []
            group.append(screen_row(line))
            continue
        spans = _spans(line, columns)
        if spans is None:
            return None
        parts += _rows(group, columns, spans if line[0] == "-" else None)
        group = []
        parts.append(Rule(line[0], spans))
    table = Simple(columns, parts)
    is_whole = not group and sum(isinstance(part, Row) for part in parts)
    return table if is_whole and _has_all(table, lines) else None


def _has_all(table: Simple, lines: Sequence[str]) -> bool:
    """Whether all characters of the lines are in a cell or a rule."""
    inside = sum(
        len("".join(line.split()))
        for p in table.parts
        if isinstance(p, Row)
        for c in p.cells
        for line in c
    )
    given = sum(len("".join(line.split())) for line in lines if not _RULE.match(line))
    return inside == given


def _spans(line: str, columns: Sequence[tuple[int, int]]) -> list[Span] | None:
    """The columns under each run of a rule; None if they are not aligned."""
    starts = {start: n for n, (start, _) in enumerate(columns)}
    ends = {end: n for n, (_, end) in enumerate(columns)}
    found = [match.span() for match in _RUN.finditer(line)]
    if any(start not in starts for start, _ in found):
        return None
    last = columns[-1][1]
    if any(end not in ends and end < last for _, end in found):
        return None
    return [(starts[start], ends.get(end, len(columns) - 1)) for start, end in found]


def _rows(
    group: Sequence[list[str]], columns: Sequence[tuple[int, int]], spans: Sequence[Span] | None
) -> list[Row]:
    """The row of some lines; none for blank lines alone."""
    if not any("".join(row).strip() for row in group):
        return []
    used = spans or [(n, n) for n in range(len(columns))]
    cells = [
        [cut(row, columns[a][0], None if b == len(columns) - 1 else columns[b][1]) for row in group]
        for a, b in used
    ]
    return [Row(used, cells)]


def draw_simple(table: Simple, texts: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """The table with new lines in the cells of its rows; columns become wider."""
    rows = [part for part in table.parts if isinstance(part, Row)]
    sizes = [end - start for start, end in table.columns]
    gaps = [after[0] - before[1] for before, after in pairwise(table.columns)] + [0]
    needs = [
        (last - first, first, last, max(map(width, lines), default=0))
        for row, cells in zip(rows, texts, strict=True)
        for (first, last), lines in zip(row.spans, cells, strict=True)
    ]
    for _, first, last, need in sorted(needs):
        room = sum(sizes[first : last + 1]) + sum(gaps[first:last])
        sizes[last] += max(need - room, 0)
    starts = [sum(sizes[:n]) + sum(gaps[:n]) for n in range(len(sizes))]
    lines, new = list[str](), iter(texts)
    for part in table.parts:
        if isinstance(part, Row):
            lines += _drawn(part.spans, next(new), starts)
        else:
            ends = [starts[last] + sizes[last] for _, last in part.spans]
            runs = [
                (starts[first], part.sign * (end - starts[first]))
                for (first, _), end in zip(part.spans, ends, strict=True)
            ]
            lines.append(_line(runs))
    return lines


def _drawn(
    spans: Sequence[Span], cells: Sequence[Sequence[str]], starts: Sequence[int]
) -> list[str]:
    height = max(map(len, cells))
    return [
        _line(
            [(starts[s[0]], c[n] if n < len(c) else "") for s, c in zip(spans, cells, strict=True)]
        )
        for n in range(height)
    ]


def _line(parts: Sequence[tuple[int, str]]) -> str:
    line = ""
    for start, text in parts:
        line = padded(line, start) + text
    return line.rstrip()
