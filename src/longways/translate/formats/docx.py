"""Word processing files, Office Open XML: .docx.

Read are the body, headers, footers, footnotes, endnotes and comments, in this order, a passage for
each paragraph with text. Deleted text, fields, formulas and images stay as they are; so do charts,
the texts of images for those who cannot see them, and the document's properties.
"""

from __future__ import annotations

from collections.abc import Sequence

from longways.errors import FormatError
from longways.translate.formats.docx_package import Package, TextParts, text_parts
from longways.translate.formats.docx_part import Paragraph, Part
from longways.translate.formats.docx_styles import Styles, read_styles
from longways.translate.formats.docx_xml import Source
from longways.translate.formats.protocol import Passage


class DocxDocument:
    """A .docx that was taken apart."""

    def __init__(self, package: Package, parts: Sequence[Part], warnings: Sequence[str]) -> None:
        self._package, self._parts = package, parts
        self.warnings = tuple(warnings)
        self._numbers, self.passages = _numbered(parts)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own."""
        pairs = zip(passages, self.passages, strict=True)
        new = {number: p for number, (p, own) in enumerate(pairs) if p != own}
        changed = dict[str, bytes]()
        for part in self._parts:
            numbers = enumerate(map(self._numbers.__getitem__, part.paragraphs))
            own = {place: new[number] for place, number in numbers if number in new}
            if own:
                changed[part.source.name] = part.written(own, language, bilingual=bilingual)
        return self._package.exchanged(changed) if changed else self._package.data


class Docx:
    """The format of .docx files."""

    name = "docx"
    suffixes = (".docx",)

    def read(self, data: bytes, language: str) -> DocxDocument:
        """Take a file apart."""
        package = Package(data)
        names = text_parts(package)
        styles = read_styles(package, names.styles)
        parts = [_part(package, name, kind, styles) for name, kind in _in_order(names)]
        if parts[0].root != "w:document":
            raise FormatError(
                "This is not a text document but another kind of Office file, whatever its name "
                "says. Save its text as .docx."
            )
        return DocxDocument(package, parts, [_missing(name) for name in names.missing])


def _in_order(names: TextParts) -> list[tuple[str, str]]:
    return [(names.main, "document"), *names.others]


def _part(package: Package, name: str, kind: str, styles: Styles) -> Part:
    return Part(Source.of(name, package.read(name)), kind, styles)


def _missing(name: str) -> str:
    return f"The part {name} is named in this .docx but not there; it is left out."


def _numbered(parts: Sequence[Part]) -> tuple[dict[Paragraph, int], tuple[Passage, ...]]:
    """The number of each paragraph's passage, which twins have in common, and all passages."""
    numbers, passages = dict[Paragraph, int](), list[Passage]()
    for paragraph in (paragraph for part in parts for paragraph in part.paragraphs):
        if paragraph.twin:
            numbers[paragraph] = numbers[paragraph.twin]
        else:
            numbers[paragraph] = len(passages)
            passages.append(paragraph.passage)
    return numbers, tuple(passages)
