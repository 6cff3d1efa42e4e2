"""Count the n-grams that translations share with their references, for all segments at once.

S segments, P positions: the tokens of all translations, then the tokens of all references.

All positions are sorted once, by segment and by the `MAX_ORDER` tokens that start there. Equal
n-grams of a segment are then neighbours for every n up to `MAX_ORDER`, and only the borders between
groups of equal n-grams differ from n to n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Text: TypeAlias = str | list[str]
"""The tokens of a segment: the characters of a string, or a list of words."""

MAX_ORDER = 6
"""The longest n-grams that can be counted, in tokens."""

BLOCK_TOKENS = 500_000
"""The approximate number of tokens that are sorted together, so that they fit into CPU cache."""

KEY_LIMIT = 2**63
"""Sort keys are smaller than this."""


@dataclass(frozen=True)
class NGrams:
    """The number of n-grams of each length in each segment."""

    translation: Numbers  # (S, order)
    reference: Numbers  # (S, order)
    shared: Numbers  # (S, order)  for each n-gram the smaller of its two counts


def count_ngrams(translations: Sequence[Text], references: Sequence[Text], order: int) -> NGrams:
    """N-grams of 1 to `order` tokens of each translation and its reference."""
    assert order <= MAX_ORDER, "positions are sorted by MAX_ORDER tokens"
    assert len(translations) == len(references), "each translation has its reference"
    sides = [[len(text) for text in side] for side in (translations, references)]
    sizes = np.array(sides, dtype=np.int64).T  # (S, 2)
    shared = np.zeros((len(sizes), order), dtype=np.int64)
    for first, after in _blocks(sizes.sum(1)):
        tokens = _token_ids([*translations[first:after], *references[first:after]])
        shared[first:after] = _count_shared(tokens, sizes[first:after], order)
    totals = np.maximum(sizes[..., None] - np.arange(order), 0)  # (S, 2, order)
    return NGrams(totals[:, 0], totals[:, 1], shared)


def _blocks(sizes: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of segments with about `BLOCK_TOKENS` tokens each."""
    block = np.cumsum(sizes) // BLOCK_TOKENS
    return pairwise([0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(sizes)])


def _token_ids(texts: Sequence[Text]) -> Numbers:
    """Small ids (P,) for the tokens of all texts; equal tokens have equal ids."""
    if all(isinstance(text, str) for text in texts):
        points = np.frombuffer("".join(map(str, texts)).encode("utf-32-le", "surrogatepass"), "<u4")
        return np.asarray((np.cumsum(np.bincount(points) > 0) - 1)[points], dtype=np.int64)
    ids: dict[str, int] = {}
    words = (ids.setdefault(word, len(ids)) for text in texts for word in text)
    return np.fromiter(words, dtype=np.int64)


def _count_shared(tokens: Numbers, sizes: Numbers, order: int) -> Numbers:
    """Shared n-grams (S, order); `sizes` (S, 2) are the tokens of either side."""
    segments, found = len(sizes), np.zeros((len(sizes), order), dtype=np.int64)
    if not tokens.size:
        return found
    lengths = sizes.T.ravel()
    segment = np.repeat(np.tile(np.arange(segments), 2), lengths)  # (P,)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(tokens))  # until the text's end
    positions = np.argsort(_sort_keys(tokens, segment, segments))
    translated = positions < sizes[:, 0].sum()
    segment, left = segment[positions], left[positions]
    begins = np.diff(segment, prepend=-1) != 0
    for n in range(order):
        begins |= np.diff(np.roll(tokens, -n)[positions], prepend=-1) != 0
        starts, whole = np.flatnonzero(begins), left > n
        sides = (
            np.add.reduceat(whole & side, starts, dtype=np.int32)
            for side in (translated, ~translated)
        )
        found[:, n] = np.bincount(segment[starts], np.minimum(*sides), segments)
    return found


def _sort_keys(tokens: Numbers, segment: Numbers, segments: int) -> Numbers:
    """Keys (P,) that sort positions by segment, then by the `MAX_ORDER` tokens that start there.

    Near the end of a text these tokens include tokens of the next text. Such n-grams are never
    counted.
    """
    base = int(tokens.max()) + 1
    triples, bound = tokens, base
    for n in (1, 2):
        if bound * base > KEY_LIMIT:
            triples, bound = _ranks(triples)
        triples, bound = triples * base + np.roll(tokens, -n), bound * base
    if segments * bound**2 > KEY_LIMIT:
        triples, bound = _ranks(triples)
    return (segment * bound + triples) * bound + np.roll(triples, -3)


def _ranks(keys: Numbers) -> tuple[Numbers, int]:
    """The rank of each key among the distinct keys, and the number of distinct keys."""
    found, ranks = np.unique(keys, return_inverse=True)
    return ranks, len(found)
