"""Workbooks in Office Open XML: .xlsx.

The format reads sheet after sheet: the texts of cells in the order of the rows, headers, footers,
messages of cells, comments, text boxes and charts. A text that several cells have is one passage.
Formulas, numbers, dates, names of sheets, and texts by which a formula knows a cell stay unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from longways.formats.base import Passage
from longways.formats.office.document import (
    OfficeDocument,
    check_kind,
    read_part,
    signature_warnings,
)
from longways.formats.office.package import Package
from longways.formats.office.relations import main_part
from longways.formats.office.styles import Styles
from longways.formats.xlsx.parts import book_parts
from longways.formats.xlsx.workbook import Workbook, read_workbook


class XlsxDocument(OfficeDocument):
    """A parsed workbook."""

    def __init__(self, package: Package, book: Workbook, warnings: Sequence[str]) -> None:
        super().__init__(package, book.parts, warnings, book.order)
        self._linked = book.linked

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own; see `FormattedDocument`.

        Where the columns of a table would have equal names, its header cells stay as they were.
        """
        new = list(passages)
        while self._restored(new, bilingual=bilingual):
            pass
        return super().write(new, language, bilingual=bilingual)

    def _restored(self, new: list[Passage], *, bilingual: bool) -> bool:
        """Undo the translation of header cells of invalid tables; whether there were any."""
        changed = False
        for table in self._linked:
            numbers = [self._numbers.get(cell, -1) for cell in table.headers]
            shown = [
                cell.plain(cell.passage)
                if number < 0 or new[number] == self.passages[number]
                else cell.plain(new[number], bilingual=bilingual)
                for cell, number in zip(table.headers, numbers, strict=True)
            ]
            if not table.is_valid(shown):
                for number in (number for number in numbers if number >= 0):
                    changed = changed or new[number] != self.passages[number]
                    new[number] = self.passages[number]
        return changed


class Xlsx:
    """The format of .xlsx files."""

    name = "xlsx"
    suffixes = (".xlsx", ".xlsm", ".xltx", ".xltm")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> XlsxDocument:
        """Parse a file; `encoding` is ignored, since XML declares its own."""
        package = Package(data)
        main = main_part(package)
        check_kind(read_part(package, main, "workbook", Styles()).root, "xlsx")
        names = book_parts(package, main)
        book = read_workbook(package, names)
        missing = "The sheet {} is named in this file but not there; it is left out."
        warnings = [*(missing.format(name) for name in names.missing), *book.warnings]
        return XlsxDocument(package, book, [*warnings, *signature_warnings(package)])
