"""Which blocks are headings, and of which level: by tags, by the outline, by size and weight."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from longways.formats.pdf.layout.blocks import Block, ends_sentence
from longways.formats.pdf.pages.characters import width

_LARGER = 1.1
"""A heading is so much larger than the text of the document."""
_MAX_WIDTH, _MAX_LINES = 160, 4
"""The longest heading, in columns of characters and in lines."""
_MAX_LEVEL, _MAX_SIZES = 6, 4
"""The lowest level of headings, and of those that only their size shows."""
_WORDS = re.compile(r"[^\W_]+")


def heading_levels(blocks: Sequence[Block], outline: Iterable[tuple[int, str]]) -> None:
    """Set the level of each heading."""
    depths: dict[str, int] = {}
    for depth, title in outline:
        depths.setdefault(_key(title), min(depth, _MAX_LEVEL))
    body, is_tagged = _body_size(blocks), any(block.tagged for block in blocks)
    named = dict[int, int]()
    large = list[Block]()
    bold = list[Block]()
    for place, block in enumerate(blocks):
        if not _may_be_heading(block):
            continue
        text = "".join(run.text for run in block.runs)
        if depth := block.tagged or depths.get(_key(text), 0):
            named[place] = depth
            block.level = depth
        elif block.size >= _LARGER * body:
            large.append(block)
        elif not is_tagged and block.bold and block.size >= 0.97 * body and not ends_sentence(text):
            bold.append(block)
    _rank(blocks, large, bold, named)


def _rank(
    blocks: Sequence[Block], large: Sequence[Block], bold: Sequence[Block], named: dict[int, int]
) -> None:
    """Give levels to headings that the outline does not name."""
    known: dict[float, int] = {}
    for place, level in named.items():
        size = round(blocks[place].size)
        known[size] = min(level, known.get(size, level))
    levels = _levels(block.size for block in large)
    for block in large:
        block.level = known.get(round(block.size), levels[block.size])
    lowest = max([block.level for block in large] + list(named.values()), default=0)
    for block in bold:
        block.level = min(lowest + 1, _MAX_LEVEL)


def _levels(sizes: Iterable[float]) -> dict[float, int]:
    """A level for each size; sizes that hardly differ have the same."""
    levels: dict[float, int] = {}
    level, largest = 0, float("inf")
    for size in sorted(set(sizes), reverse=True):
        if size * _LARGER < largest:
            level, largest = min(level + 1, _MAX_SIZES), size
        levels[size] = level
    return levels


def _body_size(blocks: Sequence[Block]) -> float:
    """The size of most text."""
    counts = Counter[float]()
    for block in blocks:
        if block.kind == "text":
            counts[round(block.size * 2) / 2] += sum(len(run.text) for run in block.runs)
    return counts.most_common(1)[0][0] if counts else 0.0


def _may_be_heading(block: Block) -> bool:
    if block.kind != "text" or block.is_entry or len(block.lines) > _MAX_LINES or not block.size:
        return False
    text = "".join(run.text for run in block.runs)
    return bool(re.search(r"[^\W\d_]", text)) and width(text) <= _MAX_WIDTH


def _key(text: str) -> str:
    """A title without spaces, signs and its number."""
    words = _WORDS.findall(text.lower())
    while len(words) > 1 and words[0].isdigit():
        words = words[1:]
    return "".join(words)
