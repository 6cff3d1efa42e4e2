"""The sentence pairs of a page and its translation.

Blocks are aligned by their order, kind, length and anchors; then the sentences of the blocks that
belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longways.corpus.alignment.blocks import Block
from longways.corpus.alignment.lengths import joined, length_ratio, match_cost, measured
from longways.corpus.alignment.search import PRIORS, best_beads
from longways.corpus.alignment.sentences import AlignedText, aligned_sentences

OTHER_KIND_COST = 4.0
"""The cost of a block whose translation is of another kind."""
SAME_KIND_GAIN = 1.0
"""Reduction of the cost for a pair of headings, or of other blocks with a mark of their kind."""
JOINED_KIND_COST = 6.0
"""The cost of blocks with a mark of their kind, such as list items, that are joined."""


class Doubt(NamedTuple):
    """How sure it is, before anything is known of two blocks, that they belong together."""

    pair: float
    """The cost of a pair."""
    alone: float
    """The cost of a block without a counterpart."""


SAME_VERSION = 0.9
"""The share of text with a counterpart from which on two pages are of one version."""
OTHER_VERSION = Doubt(3.0, 2.0)
"""For pages of different versions: a pair that shares no word costs about as much as two blocks
without counterparts."""


def aligned_page(
    source: Sequence[Block], target: Sequence[Block], languages: tuple[str, str]
) -> list[AlignedText]:
    """The sentences of two pages with their counterparts, in order.

    Where much of a page has no counterpart, its translation is of another version of it. There,
    blocks must share more than their lengths to be a pair.
    """
    found = list(_aligned(source, target, languages, Doubt(0.0, PRIORS[1, 0])))
    if aligned_share(found) >= SAME_VERSION:
        return found
    return list(_aligned(source, target, languages, OTHER_VERSION))


def _aligned(
    source: Sequence[Block], target: Sequence[Block], languages: tuple[str, str], doubt: Doubt
) -> Iterator[AlignedText]:
    sizes = [[measured(block.text) for block in side] for side in (source, target)]
    ratio = length_ratio(*sizes)

    def cost(i: int, j: int, k: int, last: int) -> float:
        match = match_cost(joined(sizes[0][i:j]), joined(sizes[1][k:last]), ratio)
        return match + doubt.pair + _kind_cost(source[i:j], target[k:last])

    for bead in best_beads(len(source), len(target), cost, doubt.alone):
        ours, theirs = source[slice(*bead.source)], target[slice(*bead.target)]
        texts = ["\n\n".join(block.text for block in side) for side in (ours, theirs)]
        yield from aligned_sentences(texts[0], texts[1], languages, ratio)


def _kind_cost(source: Sequence[Block], target: Sequence[Block]) -> float:
    kinds = {block.kind for block in source} | {block.kind for block in target}
    if len(source) == len(target) == 1:
        if len(kinds) > 1:
            return OTHER_KIND_COST
        return -SAME_KIND_GAIN if kinds != {""} else 0.0
    return 0.0 if kinds <= {"", "p"} else JOINED_KIND_COST


def aligned_share(found: Sequence[AlignedText]) -> float:
    """The share of the text of both sides that has a counterpart."""
    all_characters = sum(len(pair.source) + len(pair.target) for pair in found)
    paired = sum(len(pair.source) + len(pair.target) for pair in found if pair.is_pair)
    return paired / all_characters if all_characters else 0.0
