"""Which target word translates which source word: IBM model 1 in both directions.

P pairs: every source word of a sentence beside every target word of its translation.

Ours is forty lines of NumPy because it learns from one test set in seconds; the usual aligners
(fast_align, eflomal) are compiled programs that are not on the registry for every platform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ITERATIONS = 6
"""Rounds of expectation maximisation."""

Numbers = NDArray[np.int64]
Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Lexicon:
    """How well two words fit: the product of both directions' probabilities."""

    scores: dict[tuple[str, str], float]

    def translations(self, source: Sequence[str], target: Sequence[str]) -> list[str | None]:
        """For each source word the target word that it fits best, if it is that word's best too."""
        table = np.array([[self.scores.get((s, t), 0.0) for t in target] for s in source])
        if not table.size:
            return [None] * len(source)
        best = table.argmax(1)
        mutual = table[np.arange(len(source)), best] >= table.max(0)[best]
        known = table.max(1) > 0
        return [target[best[i]] if mutual[i] and known[i] else None for i in range(len(source))]


def learn_lexicon(sources: Sentences, targets: Sentences) -> Lexicon:
    """Learn from sentences and their translations, as words."""
    source_ids, target_ids = _ids(sources), _ids(targets)
    pairs = _pairs(sources, targets, source_ids, target_ids)
    keys, cell = np.unique(pairs.source * len(target_ids) + pairs.target, return_inverse=True)
    source, target = keys // len(target_ids), keys % len(target_ids)
    forward = _model1(cell, source, pairs.target_place, len(source_ids))
    backward = _model1(cell, target, pairs.source_place, len(target_ids))
    names = list(source_ids), list(target_ids)
    found = zip(source.tolist(), target.tolist(), (forward * backward).tolist(), strict=True)
    return Lexicon({(names[0][s], names[1][t]): score for s, t, score in found})


@dataclass(frozen=True)
class _Pairs:
    """All pairs of words, with the words' ids and the places of both words in the whole text."""

    source: Numbers  # (P,)
    target: Numbers  # (P,)
    source_place: Numbers  # (P,)
    target_place: Numbers  # (P,)


def _ids(sentences: Sentences) -> dict[str, int]:
    ids: dict[str, int] = {}
    for sentence in sentences:
        for word in sentence:
            ids.setdefault(word, len(ids))
    return ids


def _pairs(
    sources: Sentences, targets: Sentences, source_ids: dict[str, int], target_ids: dict[str, int]
) -> _Pairs:
    columns: list[list[Numbers]] = [[], [], [], []]
    before = [0, 0]
    for source, target in zip(sources, targets, strict=True):
        words = [source_ids[word] for word in source], [target_ids[word] for word in target]
        places = [np.arange(len(side)) + start for side, start in zip(words, before, strict=True)]
        grids = *np.meshgrid(*words, indexing="ij"), *np.meshgrid(*places, indexing="ij")
        for column, grid in zip(columns, grids, strict=True):
            column.append(grid.ravel().astype(np.int64))
        before = [start + len(side) for start, side in zip(before, words, strict=True)]
    return _Pairs(*(np.concatenate([*column, np.zeros(0, np.int64)]) for column in columns))


def _model1(cell: Numbers, given: Numbers, place: Numbers, words: int) -> NDArray[np.float64]:
    """p(other | given) of each cell, where every `place` is explained by one word of its sentence.

    cell (P,) is the cell of each pair in the table of co-occurring words, given (cells,) the word
    that a cell depends on, place (P,) the place of the word that is explained.
    """
    p = np.ones(len(given))
    for _ in range(ITERATIONS):
        share = p[cell]
        share = share / np.bincount(place, share)[place]
        p = np.bincount(cell, share, len(given)).astype(np.float64)
        p /= np.bincount(given, p, words)[given]
    return p
