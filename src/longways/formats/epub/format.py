"""EPUB 2 and 3: the documents of a book in reading order, its tables of contents and its title.

XHTML documents are read as HTML files, first the spine, then the navigation; then the labels of an
NCX, and the titles and descriptions of the package document. All other parts stay byte for byte.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.errors import FormatError
from longways.formats.base import FormattedDocument, Passage
from longways.formats.epub.book import Book, read_books, read_part
from longways.formats.epub.labels import Labels, contents_labels, dublin_core
from longways.formats.html.format import Html
from longways.formats.office.package import Package

_SIGNATURE = "META-INF/signatures.xml"
_TITLES = ("title", "description")


@dataclass(frozen=True)
class _Part:
    """A part with text."""

    name: str
    document: FormattedDocument
    is_package: bool = False
    """Whether it names the language of the whole book."""


class EpubDocument:
    """A parsed book."""

    def __init__(self, data: bytes, language: str) -> None:
        self._package, self._language = _opened(data), language
        warnings = list[str]()
        self._parts = list(self._read(warnings))
        if _SIGNATURE in self._package.names:
            warnings.append(
                "This book has a digital signature, which is not valid for a translation."
            )
        self.warnings: Sequence[str] = warnings
        self.passages = [p for part in self._parts for p in part.document.passages]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The book with these passages in place of its own; see `FormattedDocument`."""
        if not _is_new(passages, self.passages):
            return self._package.data
        changed, rest = dict[str, bytes](), iter(passages)
        for part in self._parts:
            own = part.document.passages
            new = list(itertools.islice(rest, len(own)))
            if part.is_package or _is_new(new, own):
                changed[part.name] = part.document.write(new, language, bilingual=bilingual)
        return self._package.exchanged(changed)

    def _read(self, warnings: list[str]) -> Iterator[_Part]:
        """The parts with text, each once."""
        seen = set[str]()
        for book in read_books(self._package, self._language):
            warnings += (
                f"The book names the part {name}, but does not have it." for name in book.missing
            )
            for part in self._parts_of(book, warnings):
                if part.name not in seen:
                    seen.add(part.name)
                    yield part

    def _parts_of(self, book: Book, warnings: list[str]) -> Iterator[_Part]:
        for name in (*book.documents, *book.contents):
            try:
                read = self._contents if name in book.contents else self._document
                document = read(name)
            except FormatError as error:
                warnings.append(f"{name}: {error} Its text is not translated.")
                continue
            warnings += (f"{name}: {warning}" for warning in document.warnings)
            yield _Part(name, document)
        titles = dublin_core(book.package.root, *_TITLES)
        yield _Part(book.package.name, Labels(book.package, titles, self._language), True)

    def _document(self, name: str) -> FormattedDocument:
        return Html().read(self._package.read(name), self._language)

    def _contents(self, name: str) -> FormattedDocument:
        part = read_part(self._package, name, self._language)
        return Labels(part, contents_labels(part.root), self._language)


class Epub:
    """The format of `.epub` files."""

    name = "epub"
    suffixes = (".epub",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> EpubDocument:
        """Parse a book; `encoding` is ignored, since its parts declare their own."""
        return EpubDocument(data, language)


def _is_new(passages: Sequence[Passage], own: Sequence[Passage]) -> bool:
    """Whether one of some passages has another text or other marks than the file."""
    pairs = zip(passages, own, strict=True)
    return any((new.text, new.marks) != (old.text, old.marks) for new, old in pairs)


def _opened(data: bytes) -> Package:
    if not data.startswith(b"PK"):
        raise FormatError(
            "This is not an EPUB book, or a damaged one: it is not a zip file. Get it once more "
            "from where it came."
        )
    return Package(data)
