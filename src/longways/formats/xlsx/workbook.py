"""All texts of a workbook in reading order, without those that must stay.

Equal texts of cells share a passage, so that what was equal stays equal. A text that a formula, a
filter, a list, a rule or a pivot table names stays, so that nothing is computed differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.office.document import read_part
from longways.formats.office.labels import Label
from longways.formats.office.package import Package
from longways.formats.office.paragraph import Paragraph
from longways.formats.office.part import Item, Part
from longways.formats.office.styles import Styles
from longways.formats.office.xml import Scanner, XmlElement, XmlSource
from longways.formats.placeholders import kept_parts
from longways.formats.xlsx.headers import header_labels
from longways.formats.xlsx.parts import BookParts, SheetParts
from longways.formats.xlsx.sheets import (
    masked,
    named_tables,
    named_texts,
    place_of,
    shared_strings,
)
from longways.formats.xlsx.strings import CellText, read_string
from longways.formats.xlsx.tables import ColumnName, Table, are_names, read_table, same_name
from longways.formats.xlsx.typed import value_texts

_SHOWN_TEXTS = 3
"""Texts that a warning quotes."""


@dataclass
class Linked:
    """A table whose columns are renamed with its header cells."""

    headers: list[CellText]

    def is_valid(self, shown: Sequence[str]) -> bool:
        """Whether its columns may have these names."""
        return are_names(list(shown))


@dataclass
class _Sheet:
    part: Part
    cells: list[CellText]
    """Texts of its cells in reading order, each at its first place."""
    labels: list[Item]
    tables: list[tuple[Table, Part, list[CellText | None]]]
    beside: list[Part]


@dataclass
class Workbook:
    """The parsed parts of a workbook."""

    parts: list[Part] = field(default_factory=list)
    order: list[Item] = field(default_factory=list)
    linked: list[Linked] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_workbook(package: Package, names: BookParts) -> Workbook:
    """Parse the parts of a workbook."""
    return _BookReader(package, names).read()


class _BookReader:
    """Reads sheets, then decides which of their texts stay, then puts the others in order."""

    def __init__(self, package: Package, names: BookParts) -> None:
        self.package, self.names, self.styles = package, names, Styles()
        self.book = Workbook()
        self.strings: list[Paragraph | None] = []
        self.named, self.known_tables = set[str](), set[str]()
        self.first = dict[Passage, Item]()
        self.by_text = dict[str, Item]()

    def read(self) -> Workbook:
        self._read_strings()
        sheets = [self._sheet(names) for names in self.names.sheets]
        for name in self.names.knowing:
            self._learn(self._source(name).data)
        for sheet in sheets:
            for table, _, headers in sheet.tables:
                if not self._is_linked(table, headers):
                    self.named |= {_folded(cell.passage.text) for cell in headers if cell}
        self._warn(sheets)
        for sheet in sheets:
            self._order(sheet)
        for name, kind in self.names.properties:
            self._try_part(name, kind, self.book.parts)
            self.book.order += self.book.parts[-1].items if self.book.parts else []
        self._drop_others()
        return self.book

    def _source(self, name: str) -> XmlSource:
        return XmlSource.of(name, self.package.read(name))

    def _read_strings(self) -> None:
        """The shared strings by number; None where there is no text."""
        if self.names.strings is None:
            return

        def read(node: XmlElement, data: bytes, styles: Styles) -> Paragraph | None:
            found = read_string(node, data, styles)
            if node.name == "x:si":
                self.strings.append(found)
            return found

        source = self._source(self.names.strings)
        self.book.parts.append(Part(source, "sharedStrings", self.styles, read))

    def _sheet(self, names: SheetParts) -> _Sheet:
        source = self._source(names.name)
        self._learn(source.data)
        bare = masked(source)
        part = Part(bare, "sheet", self.styles, read_string)
        part.source = source
        labels = [item for item in part.items if not isinstance(item, CellText)]
        headers = header_labels(bare)
        values = value_texts(source.data, self.styles)
        part.items = sorted([*part.items, *values], key=lambda item: item.start)
        cells, places = self._cells(part)
        part.items = sorted([*part.items, *headers], key=lambda item: item.start)
        tables = [self._table(name, places) for name in names.tables]
        beside = list[Part]()
        for name, kind in names.beside:
            self._try_part(name, kind, beside)
        return _Sheet(part, cells, [*headers, *labels], tables, beside)

    def _cells(self, part: Part) -> tuple[list[CellText], dict[str, CellText]]:
        """The texts of a sheet at their first places, and the text at each place."""
        data, places, found = part.source.data, dict[str, CellText](), dict[CellText, int]()
        for start, place, number in shared_strings(data):
            cell = self.strings[number] if number < len(self.strings) else None
            if isinstance(cell, CellText):
                places[place] = cell
                found.setdefault(cell, start)
        for item in part.items:
            if isinstance(item, CellText):
                places[place_of(data, item.start)] = item
                found[item] = item.start
        return sorted(found, key=found.__getitem__), places

    def _table(
        self, name: str, places: dict[str, CellText]
    ) -> tuple[Table, Part, list[CellText | None]]:
        source = self._source(name)
        table = read_table(source)
        part = Part(source, "table", self.styles)
        return table, part, table.headers(places)

    def _try_part(self, name: str, kind: str, parts: list[Part]) -> None:
        """Parse a part, or warn of a damaged one, which stays unchanged."""
        try:
            if kind == "comments":
                source = self._source(name)
                authors = _authors(source)
                parts.append(Part(source, kind, self.styles, partial(_read_comment, authors)))
            else:
                parts.append(read_part(self.package, name, kind, self.styles))
        except FormatError as error:
            self.book.warnings.append(f"{error} Its text is not translated.")

    def _learn(self, data: bytes) -> None:
        """Record the texts and tables that a part names."""
        self.named.update(map(_folded, named_texts(data)))
        self.known_tables.update(named_tables(data))

    def _is_linked(self, table: Table, headers: list[CellText | None]) -> bool:
        """Whether the columns of a table may get other names together with its header cells."""
        if table.external or table.name in self.known_tables or not headers:
            return False
        shown = [cell.plain(cell.passage) if cell else "" for cell in headers]
        pairs = zip(table.columns, headers, shown, strict=True)
        return all(cell is None or same_name(name, text) for (name, _), cell, text in pairs)

    def _stays(self, item: Item) -> bool:
        return _folded(item.passage.text) in self.named

    def _warn(self, sheets: Sequence[_Sheet]) -> None:
        cells = (cell for sheet in sheets for cell in sheet.cells if self._stays(cell))
        texts = list(dict.fromkeys(cell.passage.text for cell in cells))
        texts = [text for text in texts if any(map(str.isalpha, text)) and not text.isascii()]
        if texts:
            more = ", ..." if len(texts) > _SHOWN_TEXTS else ""
            self.book.warnings.append(
                "Texts of cells that formulas, filters, lists or tables name stay as they are: "
                f"{', '.join(texts[:_SHOWN_TEXTS])}{more} ({len(texts):,} in all)."
            )

    def _order(self, sheet: _Sheet) -> None:
        """Append the items of a sheet in reading order."""
        for cell in sheet.cells:
            if not self._stays(cell):
                self._add_cell(cell)
        self.book.order += sheet.labels
        self.book.parts.append(sheet.part)
        for table, part, headers in sheet.tables:
            self._add_table(table, part, headers)
        for part in sheet.beside:
            self.book.parts.append(part)
            self.book.order += [item for item in part.items if self._is_free(item, part)]

    def _add_cell(self, cell: CellText) -> None:
        if cell in self.book.order[-1:] or self.first.get(cell.passage) is cell:
            return
        cell.twin = self.first.get(cell.passage)
        if cell.twin is None:
            self.first[cell.passage] = cell
            self.by_text.setdefault(cell.passage.text, cell)
        self.book.order.append(cell)

    def _add_table(self, table: Table, part: Part, headers: list[CellText | None]) -> None:
        """Let the names of columns follow their header cells."""
        self.book.parts.append(part)
        if not self._is_linked(table, headers):
            return
        free = [cell for cell in headers if cell and not self._stays(cell)]
        self.book.linked.append(Linked([cell for cell in headers if cell]))
        for (_, place), cell in zip(table.columns, headers, strict=True):
            if cell in free and isinstance(cell, CellText) and place[1]:
                label = ColumnName(*place, cell.passage, cell.twin or cell)
                label.header = cell
                part.items.append(label)
                self.book.order.append(label)

    def _is_free(self, item: Item, part: Part) -> bool:
        """Whether an item beside the cells is translated; names in charts follow their cells."""
        if isinstance(item, Label) and part.kind.startswith("chart") and item.twin is None:
            item.twin = self.by_text.get(item.passage.text)
            return item.twin is not None or not self._stays(item)
        return True

    def _drop_others(self) -> None:
        """Leave only ordered items in the parts: twins of dropped items are dropped too."""
        kept = set[Item]()
        order = list[Item]()
        for item in self.book.order:
            if item not in kept and (item.twin is None or item.twin in kept):
                kept.add(item)
                order.append(item)
        self.book.order = order
        for part in self.book.parts:
            part.items = [item for item in part.items if item in kept]


def _read_comment(
    authors: Sequence[str], node: XmlElement, data: bytes, styles: Styles
) -> Paragraph | None:
    """A comment; the name of its author at its start is kept."""
    found = read_string(node, data, styles)
    for author in authors if found else ():
        if found and author and found.passage.text.startswith((f"{author}:", f"{author}\uff1a")):
            keep = kept_parts(found.passage.text, [(0, len(author)), *found.passage.keep])
            found.passage = replace(found.passage, keep=keep)
            break
    return found


def _authors(source: XmlSource) -> list[str]:
    """The names of the authors of comments."""
    names = list[str]()

    def ended(node: XmlElement, _: list[XmlElement]) -> None:
        if node.name == "x:author":
            names.append(node.text)

    Scanner(source, ended).scan()
    return list(dict.fromkeys(names))


def _folded(text: str) -> str:
    return text.strip().casefold()
