"""Word processing files, Office Open XML: .docx.

Read are the body, headers, footers, footnotes, endnotes and comments, in this order, a passage for
each paragraph with text; then the words that lists have at their numbers, the texts of charts and
diagrams, and the document's title and other properties. What an image shows, for those who cannot
see it, is a passage too. Deleted text, what fields compute, formulas and images stay as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from longways.errors import FormatError
from longways.translate.formats.docx_package import Package, TextParts, text_parts
from longways.translate.formats.docx_part import Item, Part
from longways.translate.formats.docx_styles import Styles, read_styles
from longways.translate.formats.docx_xml import Source
from longways.translate.formats.protocol import Passage


class DocxDocument:
    """A .docx that was taken apart."""

    def __init__(self, package: Package, parts: Sequence[Part], warnings: Sequence[str]) -> None:
        self._package, self._parts = package, parts
        self.warnings = tuple(warnings)
        _match_diagrams(parts)
        self._numbers, self.passages = _numbered(parts)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own."""
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
        """Take a file apart; its encoding is never in doubt."""
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
    return Part(Source.of(name, package.read(name)), kind, styles)


def _whole(
    package: Package, names: Sequence[tuple[str, str]], styles: Styles
) -> tuple[list[Part], list[str]]:
    """The parts that can be read, and a sentence for each other one, which stays as it is."""
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
    """Tell what is drawn of diagrams that it is the text of their data, in the same order."""
    known = dict[Passage, deque[Item]]()
    for item in (item for part in parts if part.kind == "diagramData" for item in part.items):
        known.setdefault(item.passage, deque()).append(item)
    for item in (item for part in parts if part.kind == "diagramDrawing" for item in part.items):
        if found := known.get(item.passage):
            item.twin = found[0]
            found.rotate(-1)


def _numbered(parts: Sequence[Part]) -> tuple[dict[object, int], tuple[Passage, ...]]:
    """The number of each item's passage, which twins have in common, and all passages."""
    numbers, passages = dict[object, int](), list[Passage]()
    for item in (item for part in parts for item in part.items):
        if item.twin:
            numbers[item] = numbers[item.twin]
        else:
            numbers[item] = len(passages)
            passages.append(item.passage)
    return numbers, tuple(passages)
