"""One page of a PDF: its words, lines and links, before its layout is known."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from longways.formats.pdf.pages.rulings import Ruling, read_drawings
from longways.formats.pdf.pages.words import Link, Word, read_words, turned

_URI = 3
_MAX_LINKS = 2_000
_MAX_ADDRESS_BYTES = 1 << 12
_ADDRESS = re.compile(r"(?:https?|ftps?)://[^\s<>]+|mailto:[^\s<>]+", re.IGNORECASE)


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
        page = raw.FPDF_LoadPage(document, index)
        if not page:
            yield Page(index + 1, [], [], [], 0, 0)
            continue
        try:
            yield _read(raw, document, page, index + 1)
        finally:
            raw.FPDF_ClosePage(page)


def _read(raw: Any, document: Any, page: Any, number: int) -> Page:
    links = list(_links(raw, document, page))
    text = raw.FPDFText_LoadPage(page)
    if not text:
        return Page(number, [], [], [], 0, 0)
    try:
        found = read_words(raw, text, links)
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


def _links(raw: Any, document: Any, page: Any) -> Iterator[Link]:
    """The links of a page that have a public address."""
    place, link, box = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    for _ in range(_MAX_LINKS):
        if not raw.FPDFLink_Enumerate(page, place, link):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != _URI:
            continue
        buffer = ctypes.create_string_buffer(_MAX_ADDRESS_BYTES)
        size = raw.FPDFAction_GetURIPath(document, action, buffer, _MAX_ADDRESS_BYTES)
        address = buffer.raw[: max(min(size, _MAX_ADDRESS_BYTES) - 1, 0)].decode("utf-8", "replace")
        if _ADDRESS.fullmatch(address) and raw.FPDFLink_GetAnnotRect(link, box):
            yield Link(
                min(box.left, box.right),
                min(box.bottom, box.top),
                max(box.left, box.right),
                max(box.bottom, box.top),
                address,
            )
