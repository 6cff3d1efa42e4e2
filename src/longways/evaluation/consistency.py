"""Consistency: how often a model prefers the candidate that fits the sentences before it.

Every item has a source of several sentences and candidate targets that differ in the last. With L,
the last L sentences of both sides are the window. The model chooses the candidate with the highest
mean log-probability of a token; it is right if that is the true one, and no other is as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from longways.corpus.batch import by_length
from longways.corpus.document import ConsistencyItem
from longways.errors import CorpusError
from longways.runtime.protocol import AnyRuntime, pad_rows
from longways.text.pipeline import TextPipeline
from longways.text.side import Side
from longways.translate.window import source_window

Measure = Literal["mean", "sum"]
"""How the log-probabilities of a window's tokens become the score of a candidate."""


class _Pair(NamedTuple):
    """A source window and a candidate, as token ids."""

    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(frozen=True)
class Consistency:
    """What a model chose."""

    items: int
    right: int
    ties: int
    """Items in which another candidate was as good as the true one; they count as wrong."""
    by_distance: dict[int, tuple[int, int]]
    """Right answers and items by the distance of the sentence that decides; 0: none is given."""

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / self.items


def measure_consistency(
    runtime: AnyRuntime,
    text: TextPipeline,
    items: Sequence[ConsistencyItem],
    L: int,
    measure: Measure = "mean",
    tokens: int = 4096,
) -> Consistency:
    """How often the model is right with windows of L sentences.

    Candidates are scored in batches of at most so many target tokens, padding included. Those that
    the vocabulary cannot tell apart are scored once, so that they tie to the last bit.
    """
    if not items:
        raise CorpusError("There are no items, so consistency cannot be measured.")
    pairs = _encode(items, text, L)
    scores = _score_all(runtime, sorted({pair for item in pairs for pair in item}), measure, tokens)
    verdicts = [
        _verdict([scores[pair] for pair in candidates], item.true_index)
        for item, candidates in zip(items, pairs, strict=True)
    ]
    return _count(items, verdicts)


def _encode(items: Sequence[ConsistencyItem], text: TextPipeline, L: int) -> list[list[_Pair]]:
    """The windows of every item and candidate; all sentences of a side are encoded together."""
    sources = _windows([item.source[-L:] for item in items], text.source)
    targets = iter(_windows([c[-L:] for item in items for c in item.candidates], text.target))
    return [
        [_Pair(source, next(targets)) for _ in item.candidates]
        for item, source in zip(items, sources, strict=True)
    ]


def _windows(groups: list[list[str]], side: Side) -> list[tuple[int, ...]]:
    """s1 <sep> s2 <eos> of each group."""
    encoded = iter(side.encode([sentence for group in groups for sentence in group]))
    return [tuple(source_window([next(encoded) for _ in group])) for group in groups]


def _score_all(
    runtime: AnyRuntime, pairs: list[_Pair], measure: Measure, tokens: int
) -> dict[_Pair, float]:
    """The score of every pair, those of about the same length scored together."""
    scores: dict[_Pair, float] = {}
    for chosen in by_length([_width(pair) for pair in pairs], tokens):
        batch = [pairs[index] for index in chosen]
        source, target = (pad_rows(side) for side in zip(*batch, strict=True))
        sums = runtime.score(source, target).astype(np.float64).sum(1)
        lengths = [len(pair.target) if measure == "mean" else 1 for pair in batch]
        scores.update(zip(batch, (sums / lengths).tolist(), strict=True))
    return scores


def _width(pair: _Pair) -> int:
    return max(len(pair.source), len(pair.target))


def _verdict(scores: list[float], true_index: int) -> Literal["right", "wrong", "tie"]:
    others = max(scores[:true_index] + scores[true_index + 1 :], default=-np.inf)
    if scores[true_index] > others:
        return "right"
    return "tie" if scores[true_index] == others else "wrong"


def _count(items: Sequence[ConsistencyItem], verdicts: Sequence[str]) -> Consistency:
    distances = [item.context_distance for item in items]
    right = Counter(d for d, v in zip(distances, verdicts, strict=True) if v == "right")
    by_distance = {d: (right[d], count) for d, count in sorted(Counter(distances).items())}
    return Consistency(len(items), verdicts.count("right"), verdicts.count("tie"), by_distance)
