"""The Org format: headlines, paragraphs, items, cells, titles, captions and notes are translated.

    bytes -> elements -> nodes with passages
    ranges of nodes + new passages -> bytes

Keywords of tasks, tags, properties, drawers, code, formulas, times and addresses keep their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longways.formats.base import Passage
from longways.formats.nested.document import NestedDocument
from longways.formats.org.elements import Elements
from longways.formats.org.inline import InlineReader
from longways.formats.org.writer import OrgWriter
from longways.formats.text_file import TextFile, read_text


class Org:
    """The format of `.org` files."""

    name = "org"
    suffixes = (".org",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> OrgDocument:
        """Parse a file; raises `FormatError` if it cannot be decoded."""
        return OrgDocument(read_text(data, language, encoding))


class OrgDocument(NestedDocument):
    """A parsed Org file."""

    def __init__(self, file: TextFile) -> None:
        elements = Elements(file.text)
        top = [
            node
            for element in elements.all()
            for node in InlineReader(file.text, element.role).nodes(element.start, element.end)
        ]
        super().__init__(file, top, elements.warnings)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages; see `FormattedDocument.write`."""
        new, text = self.new(passages), self.file.text
        if not new:
            return self.file.data
        titles = {} if bilingual else self._titles(new)
        writer = OrgWriter(text, new, titles, self.line_end, bilingual=bilingual)
        return self.file.encode(writer.between(0, len(text), self.top))

    def _titles(self, new: dict[int, Passage]) -> dict[str, str]:
        """The new titles of headlines by the old ones; a link has no brackets in it."""
        text = self.file.text
        writer = OrgWriter(text, new, {}, self.line_end, bilingual=False)
        heads = [node for node in self.top if node.place == "headline" and id(node) in new]
        titles = {
            _named(text[n.start : n.end]): _named(writer.written(n, new[id(n)])) for n in heads
        }
        return {old: one for old, one in titles.items() if one and not _BRACKET.search(one)}


_COOKIE = re.compile(r"[ \t]*\[(?:\d*/\d*|\d*%)\][ \t]*")
_BRACKET = re.compile(r"[\[\]]")


def _named(title: str) -> str:
    """A title as a link names it: without the count of its tasks."""
    return _COOKIE.sub(" ", title).strip()
