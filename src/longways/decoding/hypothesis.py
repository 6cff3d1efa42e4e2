"""Hypotheses: finished translations with their scores, and the n best of a window.

The length penalty makes hypotheses of different lengths comparable. A rank is score / length^alpha;
the length includes the token that ends a hypothesis. Scores are sums of log-probabilities, so they
decrease with every token. With alpha 1 the rank is the mean log-probability of a token, with alpha
0 it is the sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Hypothesis(NamedTuple):
    """A finished translation."""

    tokens: list[int]
    """The tokens, without the token that ended the translation."""
    score: float
    """The sum of the model's log-probabilities of the tokens and of `stop`."""
    rank: float
    """The score divided by the length penalty. Hypotheses are compared by their ranks."""
    stop: int | None
    """The token that ended it, `<sep>` or `<eos>`; None if it was cut off at the length limit."""


@dataclass
class Results:
    """The best hypotheses of one window so far, at most `nbest` of them."""

    nbest: int
    found: list[Hypothesis] = field(default_factory=list)

    def add(self, hypothesis: Hypothesis) -> None:
        """Keep it if it is among the best. A hypothesis with a stop precedes all that were cut."""
        self.found.append(hypothesis)
        self.found.sort(key=order)  # stable: of equal ranks, the first found comes first
        del self.found[self.nbest :]

    @property
    def threshold(self) -> float:
        """The rank that a new hypothesis must exceed to be kept."""
        return self.found[-1].rank if len(self.found) == self.nbest else float("-inf")


def order(hypothesis: Hypothesis) -> tuple[bool, float]:
    """The key by which hypotheses are sorted: ended ones first, then by rank."""
    return hypothesis.stop is None, -hypothesis.rank


Numbers = NDArray[np.floating[Any]]


def rank(score: float, length: int, alpha: float) -> float:
    """The rank of a hypothesis of `length` tokens."""
    return float(score / max(length, 1) ** alpha)


def best_rank(scores: Numbers, length: int, longest: NDArray[np.int64], alpha: float) -> Numbers:
    """An upper bound of the ranks that unfinished hypotheses with these scores can reach.

    They may end at any length from `length` to `longest`; all further tokens have probability 1.
    """
    greatest = np.maximum(float(length) ** alpha, longest.astype(np.float64) ** alpha)
    return np.asarray(scores / greatest)
