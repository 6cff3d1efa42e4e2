"""How many n-grams translations share with their references, counted for all segments at once.

S segments, P places: the tokens of many texts, those of translations first, then references.

The places are sorted once, by segment and by the tokens that stand there and after. Then equal
n-grams of a segment stand side by side, for every n up to `LONGEST`: where one ends and the next
begins is all that differs from n to n.
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
"""The tokens of a segment: the characters of a string, or words."""

LONGEST = 6
"""The longest n-grams that can be counted."""

AT_ONCE = 500_000
"""Tokens that are sorted together, about: they fit into a processor's cache."""

MOST = 2**63
"""Keys are smaller than this."""


@dataclass(frozen=True)
class NGrams:
    """How many n-grams of each length a segment has on either side, and on both."""

    translation: Numbers  # (S, order)
    reference: Numbers  # (S, order)
    shared: Numbers  # (S, order)  each as often as on the side that has it less often


def count_ngrams(translations: Sequence[Text], references: Sequence[Text], order: int) -> NGrams:
    """N-grams of 1 to `order` tokens of each translation and its reference."""
    assert order <= LONGEST, "places are sorted by no more tokens"
    assert len(translations) == len(references), "each translation has its reference"
    sides = [[len(text) for text in side] for side in (translations, references)]
    sizes = np.array(sides, dtype=np.int64).T  # (S, 2)
    shared = np.zeros((len(sizes), order), dtype=np.int64)
    for first, after in _blocks(sizes.sum(1)):
        tokens = _numbered([*translations[first:after], *references[first:after]])
        shared[first:after] = _shared(tokens, sizes[first:after], order)
    totals = np.maximum(sizes[..., None] - np.arange(order), 0)  # (S, 2, order)
    return NGrams(totals[:, 0], totals[:, 1], shared)


def _blocks(sizes: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of segments with about as many tokens as are sorted together."""
    block = np.cumsum(sizes) // AT_ONCE
    return pairwise([0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(sizes)])


def _numbered(texts: Sequence[Text]) -> Numbers:
    """The tokens of all texts as small numbers (P,), equal ones by the same number."""
    if all(isinstance(text, str) for text in texts):
        points = np.frombuffer("".join(map(str, texts)).encode("utf-32-le", "surrogatepass"), "<u4")
        return np.asarray((np.cumsum(np.bincount(points) > 0) - 1)[points], dtype=np.int64)
    numbers: dict[str, int] = {}
    words = (numbers.setdefault(word, len(numbers)) for text in texts for word in text)
    return np.fromiter(words, dtype=np.int64)


def _shared(tokens: Numbers, sizes: Numbers, order: int) -> Numbers:
    """(S, order): n-grams on both sides; `sizes` (S, 2) are the tokens of either side."""
    segments, found = len(sizes), np.zeros((len(sizes), order), dtype=np.int64)
    if not tokens.size:
        return found
    lengths = sizes.T.ravel()
    segment = np.repeat(np.tile(np.arange(segments), 2), lengths)  # (P,)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(tokens))
    places = np.argsort(_keys(tokens, segment, segments))
    translated = places < sizes[:, 0].sum()
    segment, left = segment[places], left[places]
    begins = np.diff(segment, prepend=-1) != 0
    for n in range(order):
        begins |= np.diff(np.roll(tokens, -n)[places], prepend=-1) != 0
        starts, whole = np.flatnonzero(begins), left > n
        sides = (
            np.add.reduceat(whole & side, starts, dtype=np.int32)
            for side in (translated, ~translated)
        )
        found[:, n] = np.bincount(segment[starts], np.minimum(*sides), segments)
    return found


def _keys(tokens: Numbers, segment: Numbers, segments: int) -> Numbers:
    """Numbers that sort places by segment, then by the `LONGEST` tokens from there on.

    After the last token of a text come those of the next: such n-grams are never counted.
    """
    base = int(tokens.max()) + 1
    triples, bound = tokens, base
    for n in (1, 2):
        if bound * base > MOST:
            triples, bound = _ranks(triples)
        triples, bound = triples * base + np.roll(tokens, -n), bound * base
    if segments * bound**2 > MOST:
        triples, bound = _ranks(triples)
    return (segment * bound + triples) * bound + np.roll(triples, -3)


def _ranks(keys: Numbers) -> tuple[Numbers, int]:
    """Small numbers in the same order, and what they are smaller than."""
    found, ranks = np.unique(keys, return_inverse=True)
    return ranks, len(found)
