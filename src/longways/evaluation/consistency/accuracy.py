"""Consistency: how often a model prefers the candidate that fits the sentences before it.

Every item has a source of several sentences and candidate targets that differ in the last. With L,
the last L sentences of both sides are the window. The model chooses the candidate with the highest
mean log-probability of a token; it is right if that is the true one, and no other is as good.
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
"""How the log-probabilities of a window's tokens become the score of a candidate."""

Verdict = Literal["right", "wrong", "tie"]

SAME = 1e-9
"""Scores that are no further apart are the same: what is left between them is rounding."""


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
    advance: Callable[[int], None] = lambda _: None,
) -> Consistency:
    """How often the model is right with windows of L sentences.

    Candidates are scored in batches of at most so many tokens, padding included. Those that the
    vocabulary cannot tell apart are scored once, so that they tie to the last bit. `advance` is
    told how many more of the candidates are done.
    """
    if not items:
        raise CorpusError("There are no items, so consistency cannot be measured.")
    windows = candidate_windows(items, text, L, runtime.positions)
    times = Counter(candidate for candidates in windows for candidate in candidates)
    sums: dict[Candidate, float] = {}
    for scored in score_candidates(runtime, times, tokens):
        sums |= scored
        advance(sum(times[candidate] for candidate in scored))
    return judge_scores(items, [[_score(c, sums, measure) for c in found] for found in windows])


def judge_scores(items: Sequence[ConsistencyItem], scores: Sequence[list[float]]) -> Consistency:
    """What was chosen, given the score of every candidate of every item."""
    verdicts = [_verdict(found, item.true_index) for item, found in zip(items, scores, strict=True)]
    distances = [item.context_distance for item in items]
    right = Counter(d for d, v in zip(distances, verdicts, strict=True) if v == "right")
    by_distance = {d: (right[d], count) for d, count in sorted(Counter(distances).items())}
    return Consistency(len(items), verdicts.count("right"), verdicts.count("tie"), by_distance)


def guessing(items: Sequence[ConsistencyItem]) -> float:
    """How often one is right who picks any candidate."""
    return sum(1 / len(item.candidates) for item in items) / len(items)


def _score(candidate: Candidate, sums: Mapping[Candidate, float], measure: Measure) -> float:
    return sums[candidate] / (len(candidate.target) if measure == "mean" else 1)


def _verdict(scores: list[float], true_index: int) -> Verdict:
    """Scores that are no numbers beat nothing, so a broken model is wrong, not right."""
    true, others = scores[true_index], scores[:true_index] + scores[true_index + 1 :]
    same = SAME * max(1.0, abs(true))
    if all(true > other + same for other in others):
        return "right"
    return "wrong" if any(other > true + same for other in others) else "tie"
