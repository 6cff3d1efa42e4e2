"""Consistency accuracy: how often a model prefers the candidate that fits the context.

Every item has a source of several sentences and candidate targets that differ in the last sentence.
The last L sentences of both sides are the window. The model chooses the candidate with the highest
mean log-probability per token; it is right if only the true candidate has the highest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from longways.corpus.document import ConsistencyItem
from longways.decoding.runtime import AnyRuntime
from longways.errors import CorpusError
from longways.evaluation.consistency.scores import score_candidates
from longways.evaluation.consistency.windows import Candidate, candidate_windows
from longways.text.pipeline import TextPipeline

Measure = Literal["mean", "sum"]
"""How a candidate's score is computed from the log-probabilities of its tokens."""

Outcome = Literal["right", "wrong", "tie"]

TIE_TOLERANCE = 1e-9
"""The relative difference up to which two scores are a tie; it covers rounding errors."""


@dataclass(frozen=True)
class Consistency:
    """A model's results on a contrastive set."""

    items: int
    right: int
    ties: int
    """Items in which another candidate has the same score as the true one; they count as wrong."""
    by_distance: dict[int, tuple[int, int]]
    """Right answers and items by the distance of the deciding sentence; 0 where it is unknown."""

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
    advance: Callable[[int], None] = lambda _: None,
) -> Consistency:
    """A model's results with windows of L sentences.

    A batch has at most `tokens` tokens, padding included. Candidates with the same token ids are
    scored once, so that they tie exactly. `advance` is called with the number of candidates that
    were scored since its last call.
    """
    if not items:
        raise CorpusError("There are no items, so consistency cannot be measured.")
    windows = candidate_windows(items, text, L, runtime.positions)
    times = Counter(candidate for candidates in windows for candidate in candidates)
    sums: dict[Candidate, float] = {}
    for scored in score_candidates(runtime, times, tokens):
        sums |= scored
        advance(sum(times[candidate] for candidate in scored))
    return count_outcomes(items, [[_score(c, sums, measure) for c in found] for found in windows])


def count_outcomes(items: Sequence[ConsistencyItem], scores: Sequence[list[float]]) -> Consistency:
    """The results, given the score of every candidate of every item."""
    outcomes = [_outcome(found, item.true_index) for item, found in zip(items, scores, strict=True)]
    distances = [item.context_distance for item in items]
    right = Counter(d for d, outcome in zip(distances, outcomes, strict=True) if outcome == "right")
    by_distance = {d: (right[d], count) for d, count in sorted(Counter(distances).items())}
    return Consistency(len(items), outcomes.count("right"), outcomes.count("tie"), by_distance)


def guessing(items: Sequence[ConsistencyItem]) -> float:
    """The expected accuracy of choosing candidates at random."""
    return sum(1 / len(item.candidates) for item in items) / len(items)


def _score(candidate: Candidate, sums: Mapping[Candidate, float], measure: Measure) -> float:
    return sums[candidate] / (len(candidate.target) if measure == "mean" else 1)


def _outcome(scores: list[float], true_index: int) -> Outcome:
    """The outcome of one item; a NaN score never wins, so a broken model is not right."""
    true, others = scores[true_index], scores[:true_index] + scores[true_index + 1 :]
    tolerance = TIE_TOLERANCE * max(1.0, abs(true))
    if all(true > other + tolerance for other in others):
        return "right"
    return "wrong" if any(other > true + tolerance for other in others) else "tie"
