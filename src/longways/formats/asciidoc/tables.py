"""Tables of AsciiDoc: cells between vertical bars, each with its style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from longways.formats.asciidoc.attributes import Attribute
from longways.formats.asciidoc.blocks import Slot, slot
from longways.formats.rst.lines import Line

if TYPE_CHECKING:
    from longways.formats.asciidoc.body import Body

_SPEC = (
    r"(?:(?P<count>\d+)?(?:\.\d+)?(?P<repeat>[*+]))?"
    r"(?:[<^>](?:\.[<^>])?|\.[<^>])?(?P<style>[a-z])?"
)
_VALUE = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|([^",\s][^,]*))[ \t]*(?=,|\Z)|,')
_COLUMN = re.compile(r"\s*(?:(?P<count>\d+)\*)?[^,;a-z]*(?P<style>[a-z])?\s*(?:[,;]|\Z)")


class Cell(NamedTuple):
    """The content of a cell, and its style."""

    start: int
    end: int
    style: str
    before_bar: bool


def table_slots(
    body: Body, lines: Sequence[Line], sign: str, given: tuple[Attribute, ...], depth: int
) -> list[Slot]:
    """The slots of all cells, also between commas; tables with colons stay."""
    named = {attribute.name: attribute.value for attribute in given if attribute.name}
    separator = named.get("separator", "!" if sign == "!" else "|")
    form = named.get("format", {",": "csv", ":": "dsv"}.get(sign, "psv"))
    if lines and form == "csv" and "separator" not in named:
        return list(_values(body.text, lines))
    if not lines or form != "psv" or len(separator) != 1:
        return []
    styles = _column_styles(named.get("cols", ""))
    heads = len(styles) if _has_head(lines, given) else 0
    cells = _cells(body.text, lines, separator, styles, heads)
    return [found for cell in cells for found in _cell(body, lines, cell, depth)]


def _values(text: str, lines: Sequence[Line]) -> Iterator[Slot]:
    """The slots of values between commas."""
    for line in lines:
        for match in _VALUE.finditer(text, line.begin, line.end):
            group = 1 if match[1] is not None else 2
            if match[group]:
                start, end = match.span(group)
                part = Line(start, start + len(text[start:end].rstrip()), 0)
                yield from slot(text, [part], "quoted" if group == 1 else "csv")


def _has_head(lines: Sequence[Line], given: tuple[Attribute, ...]) -> bool:
    """Whether the first row is a head, whose cells have no style of their column."""
    said = ",".join(a.value for a in given if a.name in ("", "options", "opts"))
    if "header" in said:
        return True
    return len(lines) > 1 and not lines[0].is_blank and lines[1].is_blank


def _column_styles(columns: str) -> list[str]:
    """The style letter of each column; `3*` and a bare number stand for several."""
    if columns.strip().isdigit():
        return []
    styles, place = list[str](), 0
    while place < len(columns) and (match := _COLUMN.match(columns, place)):
        styles += [match["style"] or ""] * min(int(match["count"] or 1), 1000)
        if match.end() == place:
            break
        place = match.end()
    return styles


def _cells(
    text: str, lines: Sequence[Line], separator: str, styles: Sequence[str], heads: int
) -> Iterator[Cell]:
    """The cells in order; text before the first separator is no cell."""
    start, end = lines[0].begin, lines[-1].end
    sign = re.compile(rf"(?:(?:(?<=\s)|^){_SPEC})?(?<!\\){re.escape(separator)}", re.MULTILINE)
    number, opened = 0, None
    for match in sign.finditer(text, start, end):
        if opened:
            direct = text[match.start() - 1] not in " \t\n\r" or match[0] != separator
            yield Cell(opened[0], match.start(), opened[1], direct)
        count = int(match["count"] or 1) if match["repeat"] else 1
        column = styles[number % len(styles)] if styles and number >= heads else ""
        opened = (match.end(), match["style"] or column)
        number += min(count, 1000)
    if opened:
        yield Cell(opened[0], end, opened[1], False)


def _cell(body: Body, lines: Sequence[Line], cell: Cell, depth: int) -> Iterator[Slot]:
    """The slots of a cell: blocks, or paragraphs between blank lines."""
    within = list(_lines_within(body.text, lines, cell))
    if cell.style == "a":
        yield from body.blocks(within, depth + 1)
    elif cell.style != "l":
        group = list[Line]()
        for line in [*within, Line(cell.end, cell.end, 0)]:
            if not line.is_blank:
                group.append(line)
            elif group:
                direct = cell.before_bar and group[-1] == within[-1]
                yield from slot(body.text, group, "cell", before_bar=direct)
                group = []


def _lines_within(text: str, lines: Sequence[Line], cell: Cell) -> Iterator[Line]:
    """The parts of lines inside of a cell."""
    for line in lines:
        begin, end = max(line.begin, cell.start), min(line.end, cell.end)
        if line.begin > cell.end:
            return
        if end < begin or (line.end < cell.start):
            continue
        own = text[begin:end]
        lead = len(own) - len(own.lstrip())
        column = 0 if begin > line.begin else line.column
        bare = own.strip()
        yield Line(begin + lead, begin + lead + len(bare), column if bare else 0)
