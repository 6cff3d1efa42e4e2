"""The PDF format: a document is read as Markdown, and its translation is a Markdown file.

    bytes -> pages -> words -> lines -> regions -> blocks -> Markdown -> passages

The layout of a PDF is not kept: a page has places for the letters of one language only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.markdown.format import Markdown
from longways.formats.pdf.document import Summary
from longways.formats.pdf.isolated import read_isolated
from longways.formats.pdf.pages.library import library_version

_NAMED_PAGES = 8
"""A warning names at most this many pages."""


class PdfDocument:
    """A parsed PDF, which is written as Markdown."""

    def __init__(self, data: bytes, language: str) -> None:
        text, summary = read_isolated(data)
        if not text:
            raise FormatError(_without_text(summary))
        self.markdown = Markdown().read(text.encode(), language, "utf-8")
        self.passages: Sequence[Passage] = self.markdown.passages
        self.warnings: Sequence[str] = (" ".join(_said(summary)),)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """A Markdown file with these passages; see `FormattedDocument.write`."""
        return self.markdown.write(passages, language, bilingual=bilingual)


class Pdf:
    """The format of `.pdf` files."""

    name = "pdf"
    suffixes = (".pdf",)

    @property
    def reader(self) -> str:
        """The library that reads the text, with its version."""
        return library_version()

    def read(self, data: bytes, language: str, encoding: str | None = None) -> PdfDocument:
        """Read a document; raises `FormatError` if it has no text that can be read."""
        return PdfDocument(data, language)


def _without_text(summary: Summary) -> str:
    if not summary.pages:
        return "This PDF document has no pages."
    return (
        "This PDF document has no text, only pictures or drawings of it. Recognise the text first, "
        "for example with: ocrmypdf FILE COPY"
    )


def _said(summary: Summary) -> Iterator[str]:
    """What a user should know about the text of a document."""
    yield (
        "The text of the PDF was read in reading order and is written as Markdown; its layout is "
        "not kept."
    )
    gone = list[str]()
    if summary.running_heads:
        gone.append(f"{_counted(summary.running_heads, 'running head')} and page numbers")
    if summary.pictures:
        gone.append(_counted(summary.pictures, "picture"))
    if gone:
        yield f"Left out: {', '.join(gone)}."
    if summary.without_text:
        yield f"{_pages(summary.without_text)} no text; if it is a scan, use OCR."
    if summary.unreadable:
        yield (
            f"{_counted(summary.unreadable, 'character')} could not be read, as the fonts do not "
            "say what they are."
        )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("s" if count != 1 else "")


def _pages(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"Page {numbers[0]} has"
    named = ", ".join(map(str, numbers[:_NAMED_PAGES]))
    more = f" and {len(numbers) - _NAMED_PAGES:,} more" if numbers[_NAMED_PAGES:] else ""
    return f"Pages {named}{more} have"
