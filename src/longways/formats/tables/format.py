"""CSV and TSV: the cells of tables with words, by columns that are chosen or found.

    id;说明;备注
    1;"两行
    的说明";"用 ""引号"" 括起来"

A cell without new text stays to the byte. Equal cells have equal translations, so that rows can
still be grouped by them. The names of the columns stay, since programs know columns by them, unless
the user asks for them. Cells that are formulas, names of files or JSON stay.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.resources.decoded import Decoded
from longways.formats.resources.document import edited
from longways.formats.resources.messages import Message, messages_of
from longways.formats.resources.readable import has_letters
from longways.formats.resources.rendering import is_new, rendered
from longways.formats.subtitles.timing import Warnings
from longways.formats.tables.columns import ALL_COLUMNS, Columns, chosen, is_code, left_out
from longways.formats.tables.detection import Detected, detect
from longways.formats.tables.dialect import guarded
from longways.formats.tables.header import find_header
from longways.formats.tables.scanner import Cell, Unclosed, records
from longways.formats.tables.text import read_table_text
from longways.formats.text_file import TextFile

SAMPLE_RECORDS = 200
"""The records by which the names and the columns are found."""


@dataclass(frozen=True)
class Csv:
    """The format of tables whose delimiter is found."""

    columns: Columns = ALL_COLUMNS
    name: str = field(default="csv", init=False)
    suffixes: tuple[str, ...] = field(default=(".csv",), init=False)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> Table:
        """Parse a table; see `Format`."""
        warnings = Warnings()
        file = read_table_text(data, language, encoding, warnings)
        detected = detect(file.text, tabs=self.name == "tsv")
        try:
            choice = _choice(file.text, detected, self.columns, language)
            return Table(file, detected, choice, language, warnings)
        except Unclosed as opened:
            line = file.text.count("\n", 0, opened.place) + 1
            raise FormatError(
                f"Line {line}: a cell begins with a quotation mark that is never closed. Close it "
                "at the end of the cell; a quotation mark inside of a cell in quotes is doubled."
            ) from opened


@dataclass(frozen=True)
class Tsv(Csv):
    """The format of tables whose delimiter is TAB."""

    name: str = field(default="tsv", init=False)
    suffixes: tuple[str, ...] = field(default=(".tsv", ".tab"), init=False)


@dataclass(frozen=True)
class _Choice:
    """The cells to translate."""

    header: int | None
    """The number of the record with the names."""
    with_header: bool
    only: frozenset[int] | None
    """The places of the columns that are translated; None: all that are not left out."""
    left_out: frozenset[int]

    def takes(self, column: int) -> bool:
        """Whether the cells of a column are translated."""
        return column in self.only if self.only is not None else column not in self.left_out


def _choice(text: str, detected: Detected, columns: Columns, language: str) -> _Choice:
    first = list(itertools.islice(records(text, *detected), SAMPLE_RECORDS))
    rows = [[_value(text, cell, detected) for cell in cells] for cells in first]
    header = find_header(rows, columns.words)
    names = rows[header] if header is not None else []
    if columns.names:
        only = frozenset(chosen(columns, names, max(map(len, rows), default=0)))
        return _Choice(header, columns.header, only, frozenset())
    below = rows[header + 1 :] if header is not None else rows
    out = frozenset(left_out(names, below, language))
    return _Choice(header, columns.header, None, out)


def _value(text: str, cell: Cell, detected: Detected) -> str:
    return detected.dialect.value(text, cell.start, cell.end, quoted=cell.quoted and not cell.odd)


class Table:
    """A parsed table."""

    def __init__(
        self,
        file: TextFile,
        detected: Detected,
        choice: _Choice,
        language: str,
        warnings: Warnings,
    ) -> None:
        self.file, self.detected, self._warnings = file, detected, warnings
        self._texts = dict[str, tuple[Message, ...]]()
        """The messages of each text, which is in one or more cells; none if it stays."""
        self._cells = [
            (cell.start, cell.end, cell.quoted) for cell in self._found(choice, language)
        ]
        self.passages = [
            passage
            for messages in self._texts.values()
            for message in messages
            for passage in message.passages()
        ]
        self.warnings = warnings.sentences()

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The table with these passages; bilingual cells have both texts. See `Format`."""
        new = dict(self._new(passages))
        if not new:
            return self.file.data
        text = self.file.text
        edits = (
            (start, end, self._written(own, new[own], quoted=quoted, bilingual=bilingual))
            for start, end, quoted in self._cells
            if (own := self.detected.dialect.value(text, start, end, quoted=quoted)) in new
        )
        return self.file.encode(edited(text, edits))

    def _written(self, own: str, value: str, *, quoted: bool, bilingual: bool) -> str:
        between = "\n" if "\n" in own else " / "
        both = f"{own}{between}{value.lstrip()}" if bilingual else value
        return self.detected.dialect.written(guarded(both, own), quoted=quoted)

    def _new(self, passages: Sequence[Passage]) -> Iterator[tuple[str, str]]:
        """The texts that change, each with its new text."""
        given = iter(passages)
        for own, messages in self._texts.items():
            mine = [passage for message in messages for passage in message.passages()]
            new = list(itertools.islice(given, len(mine)))
            if any(is_new(n, o) for n, o in zip(new, mine, strict=True)):
                next_one = iter(new)
                parts = [(m.start, m.end, rendered(own, m, next_one, str)) for m in messages]
                yield own, edited(own, parts)

    def _found(self, choice: _Choice, language: str) -> Iterator[Cell]:
        """The cells to translate, whose messages are stored."""
        line, place, text = 1, 0, self.file.text
        for number, cells in enumerate(records(text, *self.detected)):
            is_header = number == choice.header
            for column, cell in enumerate(cells):
                if not has_letters(text[cell.start : cell.end], language):
                    continue
                if cell.odd:
                    line, place = line + text.count("\n", place, cell.start), cell.start
                    self._warnings.add("odd", line, _ODD)
                elif is_header and not choice.with_header:
                    if choice.takes(column):
                        line, place = line + text.count("\n", place, cell.start), cell.start
                        self._warnings.found.setdefault("header", [(line, _HEADER)])
                elif choice.takes(column) and self._is_read(
                    _value(text, cell, self.detected), language
                ):
                    yield cell

    def _is_read(self, value: str, language: str) -> bool:
        """Whether a cell has messages, which are stored."""
        if value not in self._texts:
            self._texts[value] = () if is_code(value) else _messages(value, language)
        return bool(self._texts[value])


def _messages(value: str, language: str) -> tuple[Message, ...]:
    """The messages of a value; none without words."""
    messages = messages_of(Decoded(value, 0, len(value)), language)
    return messages if any(True for found in messages for _ in found.passages()) else ()


_ODD = "text follows the closing quotation mark of a cell; the cell stays as it is."
_HEADER = (
    "the names of the columns stay, since programs find columns by them; --header translates them."
)
