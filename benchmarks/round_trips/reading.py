"""How much of a PDF document is read: its texts in their order, each as what it is.

The documents are made by LibreOffice, so headings, items and cells are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from benchmarks.round_trips.texts import HEADINGS, Block

Piece = tuple[str, str]
"""A text without whitespace, and what it is: heading, item, cell or text."""


def measured(markdown: Mapping[str, bytes], texts: Mapping[str, Sequence[Block]]) -> dict[str, int]:
    """The texts of all documents, how many are read in their order, and as what they are."""
    known = in_order = right = 0
    for key, page in markdown.items():
        meant = list(_meant(texts[key.partition(".")[0]]))
        found = list(_found(page.decode()))
        pairs = [
            (meant[a + n], found[b + n])
            for a, b, size in SequenceMatcher(
                None, [text for text, _ in meant], [text for text, _ in found], autojunk=False
            ).get_matching_blocks()
            for n in range(size)
        ]
        known += len(meant)
        in_order += len(pairs)
        right += sum(own == other for own, other in pairs)
    return {"texts": known, "read in their order": in_order, "as what they are": right}


def _meant(blocks: Sequence[Block]) -> Iterator[Piece]:
    for block in blocks:
        if block.kind == "row":
            yield from ((_bare(cell), "cell") for cell in block.cells if cell)
        elif block.is_read:
            kind = "heading" if block.kind in HEADINGS else "item" if block.depth else "text"
            yield _bare(block.text), kind


def _found(page: str) -> Iterator[Piece]:
    from markdown_it import MarkdownIt

    opened = list[str]()
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        if token.nesting == 1:
            opened.append(token.tag)
        elif token.nesting == -1:
            opened.pop()
        elif token.type == "inline" and token.content:
            said = "".join(t.content for t in token.children or () if t.type == "text")
            yield _bare(said), _kind(opened)


def _kind(opened: Sequence[str]) -> str:
    if opened[-1] in ("td", "th"):
        return "cell"
    if re.fullmatch("h[1-6]", opened[-1]):
        return "heading"
    return "item" if "li" in opened else "text"


def _bare(text: str) -> str:
    """A text without whitespace and the joiners and emoji that fonts of PDF documents lack."""
    return re.sub(r"[^\w%$&<>/\u3000-\u303f\uff00-\uffef]", "", text)
