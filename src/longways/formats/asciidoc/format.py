"""The format of AsciiDoc: paragraphs, titles, lists, tables, admonitions, notes are translated.

bytes -> lines -> blocks -> a slot for each text -> passages
places of slots + new passages -> bytes
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longways.formats.asciidoc.blocks import Slot, Writing, anchors_of
from longways.formats.asciidoc.body import Body
from longways.formats.base import Passage
from longways.formats.text_file import read_text

_REFERENCE = re.compile(r"<<#?([^<>,\n]+)[,>]|xref:#?([^\s\[\]]+)\[")
_ANCHOR = re.compile(
    r"\[\[([^\[\],\n]+)[\],]|\[#([\w-]+)[\].,%]|\bid=\"?([\w-]+)|anchor:([^\s\[]+)\["
)


class AsciiDocDocument:
    """A parsed file."""

    def __init__(self, data: bytes, language: str, encoding: str | None = None) -> None:
        self.file = read_text(data, language, encoding)
        self.warnings: list[str] = []
        self.slots: Sequence[Slot] = list(Body(self.file.text, self.warnings).document())
        self.passages = [passage for slot in self.slots for passage in slot.passages()]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages; see `FormattedDocument.write`."""
        if len(passages) != len(self.passages):
            raise ValueError(f"{len(passages)} passages for {len(self.passages)} of the file")
        writing = Writing(bilingual, self._targets())
        new, text = iter(passages), self.file.text
        first = re.search(r"\r\n|\n|\r", text)
        line_end = first[0] if first else "\n"
        return self.file.edited(
            (start, end, written.replace("\n", line_end))
            for slot in self.slots
            for start, end, written in slot.edits(new, writing)
        )

    def _targets(self) -> frozenset[str]:
        """The anchors of titles that references of the file use, without an anchor of their own."""
        text = self.file.text
        used = {match[1] or match[2] for match in _REFERENCE.finditer(text)}
        own = {next(filter(None, match.groups())) for match in _ANCHOR.finditer(text)}
        titles = (s.inline.passage.text for s in self.slots if s.kind == "title")
        return frozenset((used - own) & {name for title in titles for name in anchors_of(title)})


class AsciiDoc:
    """The format of `.adoc` files."""

    name = "asciidoc"
    suffixes = (".adoc", ".asciidoc", ".asc")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> AsciiDocDocument:
        """Parse a file; raises `FormatError` if it cannot be decoded."""
        return AsciiDocDocument(data, language, encoding)
