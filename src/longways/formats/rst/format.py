"""The format of reStructuredText: paragraphs, titles, lists, tables and directives are translated.

bytes -> lines -> blocks of body elements -> a slot for each text -> passages
places of slots + new passages -> bytes
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longways.formats.base import Passage
from longways.formats.rst.blocks import Block, Place, Writing
from longways.formats.rst.body import Body
from longways.formats.rst.document import (
    name_reordered_notes,
    names_of,
    reordered_targets,
    targets_of,
)
from longways.formats.rst.lines import lines_of
from longways.formats.rst.text.passages import Reader
from longways.formats.rst.text.writer import InlineWriter
from longways.formats.text_file import read_text

_ROLE = re.compile(
    r"^[ \t]*\.\.[ \t]+role::[ \t]*([\w.+-]+)[ \t]*(?:\(([\w.+-]+)\))?", re.MULTILINE
)


class RstDocument:
    """A parsed file."""

    def __init__(self, data: bytes, language: str, encoding: str | None = None) -> None:
        self.file = read_text(data, language, encoding)
        self.reader = Reader(language, _own_roles(self.file.text))
        self.warnings: list[str] = []
        body = Body(self.file.text, self.reader, self.warnings)
        lines = lines_of(self.file.text)
        self.blocks: Sequence[Block] = list(body.blocks(lines, Place(0, False)))
        self.passages = [passage for block in self.blocks for passage in block.passages()]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages; see `FormattedDocument.write`."""
        if len(passages) != len(self.passages):
            raise ValueError(f"{len(passages)} passages for {len(self.passages)} of the file")
        names = names_of(self.blocks, passages)
        targets = targets_of(self.blocks, self.file.text)
        notes = name_reordered_notes(self.blocks, passages, self.file.text, names)
        writing = Writing(InlineWriter(self.reader, names), bilingual, targets)
        new = iter(passages)
        edits = [edit for block in self.blocks for edit in block.edits(new, writing)]
        edits += [*notes, *reordered_targets(self.blocks, passages, self.file.text)]
        line_end = _line_end(self.file.text)
        return self.file.edited(
            (start, end, new.replace("\n", line_end)) for start, end, new in sorted(edits)
        )


class Rst:
    """The format of `.rst` files."""

    name = "rst"
    suffixes = (".rst", ".rest")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> RstDocument:
        """Parse a file; raises `FormatError` if it cannot be decoded."""
        return RstDocument(data, language, encoding)


def _line_end(text: str) -> str:
    first = re.search(r"\r\n|\n|\r", text)
    return first[0] if first else "\n"


def _own_roles(text: str) -> frozenset[str]:
    """The roles that a file defines for styles of text, not for code."""
    return frozenset(m[1] for m in _ROLE.finditer(text) if m[2] not in ("code", "raw", "math"))
