"""Word documents in Office Open XML: .docx.

The format reads the body, headers, footers, footnotes, endnotes and comments, in this order, a
passage for each paragraph with text; then the words around list numbers, the texts of charts and
diagrams, and the title and other properties. The alternative text of an image is a passage too.
Deleted text, field results, formulas and images stay unchanged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.docx.package import Package, TextParts, text_parts
from longways.formats.docx.part import Item, Part
from longways.formats.docx.styles import Styles, read_styles
from longways.formats.docx.xml import XmlSource


class DocxDocument:
    """A parsed .docx file."""

    def __init__(self, package: Package, parts: Sequence[Part], warnings: Sequence[str]) -> None:
        self._package, self._parts = package, parts
        self.warnings = tuple(warnings)
        _match_diagrams(parts)
        self._numbers, self.passages = _numbered(parts)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own; see `FormattedDocument`."""
        pairs = zip(passages, self.passages, strict=True)
        new = {number: p for number, (p, own) in enumerate(pairs) if p != own}
        changed = dict[str, bytes]()
        for part in self._parts:
            numbers = enumerate(map(self._numbers.__getitem__, part.items))
            own = {place: new[number] for place, number in numbers if number in new}
            if own:
                changed[part.source.name] = part.written(own, language, bilingual=bilingual)
        return self._package.exchanged(changed) if changed else self._package.data


class Docx:
    """The format of .docx files."""

    name = "docx"
    suffixes = (".docx",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> DocxDocument:
        """Parse a file; `encoding` is ignored, since XML declares its own."""
        package = Package(data)
        names = text_parts(package)
        styles = read_styles(package, names.styles)
        main = _part(package, names.main, "document", styles)
        if main.root != "w:document":
            raise FormatError(
                "This is not a text document but another kind of Office file, whatever its name "
                "says. Save its text as .docx."
            )
        parts = [_part(package, name, kind, styles) for name, kind in names.others]
        more, damaged = _whole(package, names.beside, styles)
        return DocxDocument(package, [main, *parts, *more], [*_warnings(names), *damaged])


def _part(package: Package, name: str, kind: str, styles: Styles) -> Part:
    return Part(XmlSource.of(name, package.read(name)), kind, styles)


def _whole(
    package: Package, names: Sequence[tuple[str, str]], styles: Styles
) -> tuple[list[Part], list[str]]:
    """The parts that can be read, and a warning for each damaged part, which stays unchanged."""
    parts, damaged = list[Part](), list[str]()
    for name, kind in names:
        try:
            parts.append(_part(package, name, kind, styles))
        except FormatError as error:
            damaged.append(f"{error} Its text is not translated.")
    return parts, damaged


def _warnings(names: TextParts) -> list[str]:
    missing = "The part {} is named in this .docx but not there; it is left out."
    foreign = "The part {} of this .docx is a file of another kind; its text is not translated."
    return [
        *(missing.format(name) for name in names.missing),
        *(foreign.format(name) for name in names.foreign),
    ]


def _match_diagrams(parts: Sequence[Part]) -> None:
    """Link texts in diagram drawings to the same texts in diagram data, in order."""
    known = dict[Passage, deque[Item]]()
    for item in (item for part in parts if part.kind == "diagramData" for item in part.items):
        known.setdefault(item.passage, deque()).append(item)
    for item in (item for part in parts if part.kind == "diagramDrawing" for item in part.items):
        if found := known.get(item.passage):
            item.twin = found[0]
            found.rotate(-1)


def _numbered(parts: Sequence[Part]) -> tuple[dict[object, int], tuple[Passage, ...]]:
    """The passage number of each item, shared by twins, and all passages."""
    numbers, passages = dict[object, int](), list[Passage]()
    for item in (item for part in parts for item in part.items):
        if item.twin:
            numbers[item] = numbers[item.twin]
        else:
            numbers[item] = len(passages)
            passages.append(item.passage)
    return numbers, tuple(passages)
