"""Tables of a sheet, whose columns are named like their header cells.

A table whose column differs from its header cell counts as damaged. So a name is written as the
text of its header cell, unless formulas know the table by its columns: then both stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from longways.formats.base import Passage
from longways.formats.office.labels import Label, values
from longways.formats.office.xml import Scanner, XmlElement, XmlSource
from longways.formats.xlsx.strings import CellText

MAX_NAME_CHARACTERS = 255

_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})(?::[A-Z]{1,3}\d{1,7})?")
_BREAK = re.compile("_x000[aA]_|\r?\n")


class ColumnName(Label):
    """The name of a column, between quotation marks."""

    header: CellText

    def written(self, passage: Passage, *, bilingual: bool) -> bytes:
        """The text of the header cell, with its line breaks escaped."""
        shown = self.header.plain(passage, bilingual=bilingual)
        return super().written(Passage(_BREAK.sub("_x000a_", shown)), bilingual=False)


@dataclass(eq=False)
class Table:
    """A table: its name, the place of its first header cell, and its columns."""

    name: str = ""
    first: tuple[int, int] | None = None
    """Column and row, from 1; None without header cells."""
    external: bool = False
    columns: list[tuple[str, tuple[int, int]]] = field(default_factory=list)
    """The name of each column and its range in the part."""

    def headers(self, cells: Mapping[str, CellText]) -> list[CellText | None]:
        """The text of each header cell, None for a cell without one."""
        if self.first is None:
            return []
        column, row = self.first
        places = (f"{_letters(column + n)}{row}" for n in range(len(self.columns)))
        return [cells.get(place) for place in places]


def read_table(source: XmlSource) -> Table:
    """Parse a table."""
    table = Table()

    def ended(node: XmlElement, _: list[XmlElement]) -> None:
        if node.name == "x:tableColumn":
            place = next(
                (place for name, place in values(source.data, node) if name == "name"), None
            )
            if place:
                table.columns.append((node.attributes.get("name", ""), place))
        elif node.name == "x:table":
            table.name = node.attributes.get("displayName", "").lower()
            table.external = node.attributes.get("tableType", "worksheet") != "worksheet"
            found = _PLACE.fullmatch(node.attributes.get("ref", ""))
            if found and node.attributes.get("headerRowCount", "1") != "0":
                table.first = _number(found[1]), int(found[2])

    Scanner(source, ended).scan()
    return table


def same_name(name: str, text: str) -> bool:
    """Whether a column has the name that its header cell shows."""
    return _BREAK.sub("\n", name) == _BREAK.sub("\n", text)


def are_names(texts: list[str]) -> bool:
    """Whether a table may have columns of these names."""
    unique = len({text.casefold() for text in texts}) == len(texts)
    return unique and all(0 < len(text) <= MAX_NAME_CHARACTERS for text in texts)


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
