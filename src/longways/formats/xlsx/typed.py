"""Cells whose text stands in their value: `<c t="str"><v>文</v></c>` without a formula.

Some programs and libraries write all texts of a sheet in this way. With a formula, the value is its
result, which is computed again; so are the values in the range of an array formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from longways.formats.base import Passage
from longways.formats.office.paragraph import Manner
from longways.formats.office.render import escaped
from longways.formats.office.styles import Styles
from longways.formats.office.xml import XmlElement
from longways.formats.xlsx.strings import MAX_CELL_CHARACTERS, CellText, read_string

_NAME = rb"(?:[\w.-]{1,40}:)?"
_CELL = re.compile(
    rb"<" + _NAME + rb"c\s([^<>]{0,300})>\s{0,20}"
    rb"<" + _NAME + rb"v(?:\s[^<>]{0,100})?(?<!/)>([^<]+)</" + _NAME + rb"v\s{0,20}>"
)
_TYPED = re.compile(rb"(?:^|\s)t\s?=\s?[\"']str[\"']")
_LINE_END = re.compile(r"\r\n?")
_PLACE = re.compile(rb"\sr\s?=\s?[\"']([A-Z]{1,3})(\d{1,7})[\"']")
_ARRAY = re.compile(
    rb"<" + _NAME + rb"f\s(?=[^<>]{0,300}\bt\s?=\s?[\"'](?:array|dataTable)[\"'])[^<>]{0,300}"
    rb"\bref\s?=\s?[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']"
)
MAX_COMPUTED_CELLS = 1_000_000
"""With more cells in the ranges of array formulas, no value counts as a text."""

_Place = tuple[int, int]
"""Column and row of a cell."""


class ValueText(CellText):
    """The text of a cell that is its value, which has one look."""

    def written(self, passage: Passage, manner: Manner) -> bytes:
        """The value with a new text; if bilingual, with the original behind it."""
        text = self.plain(passage, bilingual=manner.bilingual)
        if len(text) > MAX_CELL_CHARACTERS:
            return manner.data[self.start : self.end]
        return escaped(text)


def value_texts(data: bytes, styles: Styles) -> Iterator[ValueText]:
    """The texts of all cells of a sheet that are values without formulas."""
    if b"<!--" in data or b"<![CDATA[" in data:
        return  # what looks like a cell may be none
    computed = _computed(data) if b"str" in data else None
    if computed is None:
        return
    for match in _CELL.finditer(data):
        if _TYPED.search(match[1]) and not _is_in(match, computed):
            start, end = match.span(2)
            said = _LINE_END.sub("\n", unescape(match[2].decode()))
            text = XmlElement("x:t", {}, start, start, end, end, [], said)
            found = read_string(
                XmlElement("x:is", {}, start, start, end, end, [text]), data, styles
            )
            if isinstance(found, CellText):
                yield ValueText(start, start, start, end, end, (), found.tokens, found.passage)


def _is_in(cell: re.Match[bytes], computed: set[_Place]) -> bool:
    """Whether a cell is one of those; a cell without a place may be."""
    place = _PLACE.search(cell[0]) if computed else None
    return bool(computed) and (place is None or _place(place[1], place[2]) in computed)


def _computed(data: bytes) -> set[_Place] | None:
    """The cells in the ranges of array formulas; None if there are too many."""
    cells = set[_Place]()
    for found in _ARRAY.finditer(data):
        (left, top), (right, bottom) = _place(*found.group(1, 2)), _place(*found.group(3, 4))
        if len(cells) + max(0, right - left + 1) * max(0, bottom - top + 1) > MAX_COMPUTED_CELLS:
            return None
        cells.update((x, y) for x in range(left, right + 1) for y in range(top, bottom + 1))
    return cells


def _place(letters: bytes, row: bytes) -> _Place:
    """The numbers of a column in letters and of a row."""
    column = 0
    for letter in letters:
        column = column * 26 + letter - ord("A") + 1
    return column, int(row)
