"""One page of a PDF: its words, lines and links, before its layout is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longways.formats.pdf.pages.annotations import has_texts, read_links
from longways.formats.pdf.pages.rulings import Ruling, read_drawings
from longways.formats.pdf.pages.tags import read_headings
from longways.formats.pdf.pages.words import Link, Word, read_words, turned


@dataclass(frozen=True)
class Page:
    """What is on a page."""

    number: int
    """From 1."""
    words: list[Word]
    turned: list[list[Word]]
    """Words in other directions than most, each direction by itself."""
    rulings: list[Ruling]
    pictures: int
    unreadable: int
    """Characters that have no meaning outside their font."""
    top: float = 0.0
    bottom: float = 0.0
    """The edges of the page; y is down."""

    def having(self, words: list[Word], turned: list[list[Word]]) -> Page:
        """The page with other words, upright and turned."""
        return replace(self, words=words, turned=turned)


def read_pages(
    raw: Any, document: Any, at_page: Callable[[], None] = lambda: None
) -> Iterator[Page]:
    """All pages in order; one that cannot be read is empty. `at_page` is called before each."""
    for index in range(raw.FPDF_GetPageCount(document)):
        at_page()
        yield _read_page(raw, document, index)


def _read_page(raw: Any, document: Any, index: int) -> Page:
    page = raw.FPDF_LoadPage(document, index)
    links = list(read_links(raw, document, page)) if page else []
    if page and has_texts(raw, page):  # values of forms are read as text of the page
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        raw.FPDF_ClosePage(page)
        page = raw.FPDF_LoadPage(document, index)
    if not page:
        return Page(index + 1, [], [], [], 0, 0)
    try:
        return _read(raw, page, index + 1, links)
    finally:
        raw.FPDF_ClosePage(page)


def _read(raw: Any, page: Any, number: int, links: Sequence[Link]) -> Page:
    text = raw.FPDFText_LoadPage(page)
    if not text:
        return Page(number, [], [], [], 0, 0)
    try:
        found = read_words(raw, text, links, read_headings(raw, page))
    finally:
        raw.FPDFText_ClosePage(text)
    drawings = read_drawings(raw, page, found.angle)
    left, top, right, bottom = _edges(raw, page, found.angle)
    inside = [
        word
        for word in found.words
        if left < word.right and word.left < right and top < word.bottom and word.top < bottom
    ]
    return Page(
        number,
        inside,
        found.turned,
        drawings.rulings,
        drawings.pictures,
        found.unreadable,
        top,
        bottom,
    )


def _edges(raw: Any, page: Any, angle: int) -> tuple[float, float, float, float]:
    """The edges of a page that is turned by an angle: left, top, right, bottom."""
    box = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, box)
    corners = [turned(x, y, angle) for x in (box.left, box.right) for y in (box.bottom, box.top)]
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)
