"""Jupyter notebooks, nbformat 3 and 4: Markdown cells, and the heading cells of nbformat 3.

Code, raw cells, outputs, attachments and metadata stay, and so do the bytes of the JSON around a
cell: the order of keys, indentation, escapes. The text of a cell is read as a Markdown file.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.markdown.format import Markdown, MarkdownDocument
from longways.formats.notebook.cells import Source, read_cells
from longways.formats.resources.document import Edit, edited
from longways.formats.resources.json_file import JsonEscapes
from longways.formats.resources.json_scanner import JsonScanner
from longways.formats.text_file import TextFile, read_text

_VERSIONS = ("3", "4")
_HEADING = "# "
"""Read in front of the text of a heading cell, which has no sign of its own."""


@dataclass(frozen=True, slots=True)
class TextCell:
    """A cell with text: its source, and the source as a Markdown file."""

    source: Source
    before: str
    """Signs that are read before the source, but are not in the file."""
    data: bytes
    """The Markdown file, in UTF-8."""


class NotebookFile:
    """The text of a notebook, and its cells with text."""

    def __init__(self, data: bytes, language: str, encoding: str | None) -> None:
        self.file: TextFile = read_text(data, language, encoding)
        self._scanner = JsonScanner(self.file.text)
        self._cells = read_cells(self._scanner)
        _check_version(self._scanner)
        self._escapes = JsonEscapes(self.file.text)
        self.warnings = list(self._repeated())
        self.cells = [cell for source in self._cells.sources for cell in self._read(source)]

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.file.text)]

    def line(self, source: Source) -> int:
        """The line of the file where a source begins."""
        return bisect_left(self._line_ends, source.range[0]) + 1

    def edit(self, cell: TextCell, data: bytes) -> Edit:
        """The edit that writes a new Markdown file into a cell."""
        text = data.decode().removeprefix(cell.before)
        return *cell.source.range, cell.source.written(self.file.text, text, self._escapes)

    def _read(self, source: Source) -> Iterator[TextCell]:
        """The cell of a source, if it is one with text."""
        kind = self._cells.kinds.get(source.cell)
        if kind not in ("markdown", "heading") or not source.is_whole(self.file.text):
            return
        text = source.text(self.file.text)
        before = _HEADING if kind == "heading" and "\n" not in text else ""
        try:
            yield TextCell(source, before, (before + text).encode())
        except UnicodeEncodeError:
            self.warnings.append(_left(self.line(source), "has half a character in it (\\ud83d)"))

    def _repeated(self) -> Iterator[str]:
        if self._scanner.twice:
            line, key, _ = self._scanner.twice
            yield (
                f"Line {line}: an object has the key {key!r} twice, of which most programs read "
                "only the last."
            )


class NotebookDocument:
    """A parsed notebook."""

    def __init__(self, data: bytes, language: str, encoding: str | None = None) -> None:
        self._file = NotebookFile(data, language, encoding)
        warnings = list(self._file.warnings)
        self._cells = list[tuple[TextCell, MarkdownDocument]]()
        for cell in self._file.cells:
            line = self._file.line(cell.source)
            try:
                read = Markdown().read(cell.data, language, "utf-8")
            except FormatError:
                warnings.append(_left(line, "has characters in it that no text has"))
                continue
            self._cells.append((cell, read))
            warnings += (f"The cell at line {line}: {warning}" for warning in read.warnings)
        self.warnings: Sequence[str] = warnings
        self.passages = [passage for _, read in self._cells for passage in read.passages]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own; see `FormattedDocument`."""
        if len(passages) != len(self.passages):
            raise ValueError(f"{len(passages)} passages for {len(self.passages)} of the file")
        edits, rest = list[Edit](), iter(passages)
        for cell, read in self._cells:
            new = list(itertools.islice(rest, len(read.passages)))
            data = read.write(new, language, bilingual=bilingual)
            if data != cell.data:
                edits.append(self._file.edit(cell, data))
        return self._file.file.encode(edited(self._file.file.text, edits))


class Notebook:
    """The format of `.ipynb` files."""

    name = "ipynb"
    suffixes = (".ipynb",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> NotebookDocument:
        """Parse a file; raises `FormatError` if it is no notebook."""
        return NotebookDocument(data, language, encoding)


def _check_version(scanner: JsonScanner) -> None:
    """Raise for files that are no notebooks, and for versions that are not known."""
    version = scanner.keys.get("nbformat", "").strip()
    number = "".join(itertools.takewhile(str.isdigit, version))
    if number in _VERSIONS:
        return
    if not number:
        raise FormatError(
            "The file is JSON, but no Jupyter notebook, as it has no number nbformat. If it is a "
            "file of texts, use --format json."
        )
    raise FormatError(
        f"This notebook is in version {number} of nbformat, and versions 3 and 4 are read. "
        "Convert it with: jupyter nbconvert --to notebook --nbformat 4 FILE"
    )


def _left(line: int, fault: str) -> str:
    return f"The cell at line {line} {fault}. Its text is not translated."
