"""The length penalty, which makes hypotheses of different lengths comparable.

A rank is score / length^alpha; the length includes the token that ends a hypothesis. Scores are
sums of log-probabilities, so they decrease with every token. With alpha 1 the rank is the mean
log-probability of a token, with alpha 0 it is the sum.
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
    """An upper bound of the ranks that unfinished hypotheses with these scores can reach.

    They may end at any length from `length` to `longest`; all further tokens have probability 1.
    """
    greatest = np.maximum(float(length) ** alpha, longest.astype(np.float64) ** alpha)
    return np.asarray(scores / greatest)
