"""The length penalty: what makes hypotheses of different lengths comparable.

A rank is score / length^alpha, where the length counts the token that ends a hypothesis. Scores
are sums of log-probabilities, so they are negative and fall with every token; with alpha 1 the rank
is the mean log-probability of a token, with 0 the sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]


def rank(score: float, length: int, alpha: float) -> float:
    """The rank of a hypothesis of `length` tokens."""
    return float(score / max(length, 1) ** alpha)


def best_rank(scores: Numbers, length: int, longest: NDArray[np.int64], alpha: float) -> Numbers:
    """The rank that unfinished hypotheses could reach at best, if all else were certain.

    They have `scores` now, and may end with any length from `length` to `longest`.
    """
    greatest = np.maximum(float(length) ** alpha, longest.astype(np.float64) ** alpha)
    return np.asarray(scores / greatest)
