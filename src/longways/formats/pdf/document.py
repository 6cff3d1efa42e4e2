"""The blocks of a whole document: joined over pages, with headings, lists and footnotes."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from longways.formats.pdf.headings import heading_levels
from longways.formats.pdf.layout.blocks import Block, ends_sentence, read_blocks, starts_item
from longways.formats.pdf.layout.joining import join_lines, known_words
from longways.formats.pdf.layout.regions import read_regions
from longways.formats.pdf.layout.ruled import ruled_tables
from longways.formats.pdf.layout.running import without_running_heads
from longways.formats.pdf.markdown import to_markdown
from longways.formats.pdf.notes import take_notes
from longways.formats.pdf.pages.library import opened, outline
from longways.formats.pdf.pages.page import Page, read_pages

_MAX_BETWEEN = 8
"""The most blocks that may interrupt a paragraph."""
_SMALLER = 0.5
"""Text is smaller than other text by more than this, in points."""
_CAPTION = re.compile(r"(?:fig(?:ure|\.)|table|图|表)\s*[\dA-Z]", re.IGNORECASE)


@dataclass
class Summary:
    """What a user should know about a document that was read."""

    pages: int = 0
    without_text: list[int] = field(default_factory=list)
    """Numbers of pages that have pictures or nothing, but no text."""
    running_heads: int = 0
    pictures: int = 0
    unreadable: int = 0
    """Characters that have no meaning outside their font."""


def read_document(data: bytes, at_page: Callable[[], None] = lambda: None) -> tuple[str, Summary]:
    """The text of a document as Markdown, and its summary; `at_page` is called at every page."""
    with opened(data) as (raw, document):
        blocks, summary = read_contents(raw, document, at_page)
    at_page()
    return to_markdown(blocks), summary


def read_contents(
    raw: Any, document: Any, at_page: Callable[[], None] = lambda: None
) -> tuple[list[Block], Summary]:
    """The text of an open document by blocks in reading order, and its summary."""
    found, blocks = Summary(), list[Block]()
    for page, heads in without_running_heads(read_pages(raw, document, at_page)):
        found.pages += 1
        found.running_heads += heads
        found.pictures += page.pictures
        found.unreadable += page.unreadable
        own = list(_page_blocks(page))
        if not own and not heads:
            found.without_text.append(page.number)
        blocks += take_notes(own)
    known = known_words(line for block in blocks for line in block.text.split("\n"))
    blocks = list(_joined(blocks))
    for block in blocks:
        block.runs = join_lines(block.lines, known)
    heading_levels(blocks, outline(raw, document))
    return blocks, found


def _page_blocks(page: Page) -> Iterator[Block]:
    """The blocks of a page in reading order."""
    tables = list(ruled_tables(page.rulings, page.words))
    taken = {word.place for table in tables for row in table.rows for cell in row for word in cell}
    words = [word for word in page.words if word.place not in taken]
    for region in read_regions([*words, *tables]):
        yield from read_blocks(region.atoms, page.number)
    for group in page.turned:
        for block in read_blocks(group, page.number):
            block.size = 0.0
            yield block


def _joined(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with paragraphs that continue in the next column or on the next page."""
    waiting = deque(blocks)
    while waiting:
        block = waiting.popleft()
        while (place := _continuation(block, waiting)) is not None:
            following = waiting[place]
            del waiting[place]
            block.lines += following.lines
            block.is_full, block.column = following.is_full, following.column
            block.page = following.page
        yield block


def _continuation(last: Block, blocks: Sequence[Block]) -> int | None:
    """The place of the block that continues a paragraph; notes and figures may be between."""
    if last.kind not in ("text", "note") or not last.is_full or not last.lines:
        return None
    before = "".join(run.text for run in last.lines[-1]).rstrip()
    if ends_sentence(before):
        return None
    for place in range(min(len(blocks), _MAX_BETWEEN)):
        block = blocks[place]
        if block.page > last.page + 1:
            return None
        if _continues(last, block, is_next=place == 0):
            return place
        if not _is_aside(block, last.size):
            return None
    return None


def _is_aside(block: Block, size: float) -> bool:
    """Whether a block may interrupt a paragraph: a note, a table, a caption."""
    return (
        block.kind != "text"
        or block.size < size - _SMALLER
        or bool(_CAPTION.match("".join(run.text for run in block.lines[0])))
    )


def _continues(last: Block, block: Block, *, is_next: bool) -> bool:
    """Whether a block continues the paragraph that another column or page began."""
    if block.kind != "text" or not block.lines:
        return False
    if block.column == last.column and block.page == last.page:
        return False
    if abs(last.size - block.size) > _SMALLER or last.bold != block.bold or block.is_indented:
        return False
    after = "".join(run.text for run in block.lines[0]).lstrip()
    if not after or starts_item(after) or _CAPTION.match(after):
        return False
    if after[0].islower():
        return True
    return is_next and (not after[0].isupper() or len(last.lines) > 1)
