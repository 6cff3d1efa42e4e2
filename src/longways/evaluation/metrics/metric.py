"""What a metric is: words or characters counted segment by segment, and a score of the sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Statistics = NDArray[np.float64]
"""(segments, numbers): what each segment adds to a score."""


class Metric(Protocol):
    """A score of a corpus that follows from numbers summed over its segments."""

    name: str
    signature: str
    """How it is computed, in sacreBLEU's words."""

    def tokens(self, texts: Sequence[str]) -> list[Any]:
        """Each text cut into what is compared."""

    def count(self, translations: Sequence[Any], references: Sequence[Any]) -> Statistics:
        """What each segment, given as its tokens, adds to the score."""

    def value(self, sums: Statistics) -> Statistics:
        """The score, 0 to 100, of sums (..., numbers)."""
