r"""The LaTeX format: paragraphs, titles, captions, items, cells and notes are translated.

    bytes -> tokens and their pairs -> nodes with passages
    ranges of nodes + new passages -> bytes

Commands, formulas, labels, references, comments and code keep their bytes. What a passage prints
is read without escapes, and new text is written with them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longways.formats.base import Passage
from longways.formats.latex.reader import LatexReader
from longways.formats.latex.tokens import Tokens
from longways.formats.latex.writer import LatexWriter, Style
from longways.formats.nested.document import NestedDocument
from longways.formats.text_file import TextFile, read_text
from longways.text.encodings import text_codec

_DECLARED = re.compile(
    rb"\\usepackage\s*\[([\w-]+)\]\s*\{inputenc\}|\\begin\{CJK\*?\}\{(GBK|Bg5|GB)\}"
    rb"|%[^\n]{0,80}(?:coding[:=]|encoding\s*=)\s*([\w-]+)"
)
_CODECS = {"utf8x": "utf-8", "ansinew": "cp1252", "Bg5": "big5", "GB": "gb18030", "GBK": "gb18030",
           "gbk": "gb18030", "latin9": "iso8859-15", "applemac": "mac-roman"}  # fmt: skip
_BEGINNING_BYTES = 1 << 14


class Latex:
    """The format of `.tex` files."""

    name = "latex"
    suffixes = (".tex", ".ltx")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> LatexDocument:
        """Parse a file; raises `FormatError` if it cannot be decoded."""
        return LatexDocument(read_text(data, language, encoding or _declared(data)), language)


class LatexDocument(NestedDocument):
    """A parsed LaTeX file."""

    def __init__(self, file: TextFile, language: str) -> None:
        tokens = Tokens(file.text, 0, len(file.text))
        reader = LatexReader(tokens, language)
        top = reader.document()
        super().__init__(file, top, [*tokens.warnings, *reader.warnings])

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages; see `FormattedDocument.write`."""
        new, text = self.new(passages), self.file.text
        if not new:
            return self.file.data
        style = Style(self.file.can_encode, language, self.line_end, bilingual)
        return self.file.encode(LatexWriter(text, new, style).between(0, len(text), self.top))


def _declared(data: bytes) -> str | None:
    """The encoding that a file declares, if it is not in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        found = _DECLARED.search(data, 0, _BEGINNING_BYTES)
        name = next(filter(None, found.groups()), b"").decode() if found else ""
        codec = _CODECS.get(name, name)
        return codec if codec and text_codec(codec) else None
    return None
