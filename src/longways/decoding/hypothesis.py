"""What a hypothesis is, and which of those found for a window are its results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Hypothesis(NamedTuple):
    """A translation that search has brought to its end."""

    tokens: list[int]
    """Its tokens, without the one that ended it."""
    score: float
    """The sum of the model's log-probabilities of its tokens, and of `stop`."""
    rank: float
    """The score divided by the length penalty: hypotheses are compared by it."""
    stop: int | None
    """The token that ended it, `<sep>` or `<eos>`; None if it was cut at its greatest length."""


@dataclass
class Results:
    """The best hypotheses of one window so far, at most `most` of them."""

    most: int
    found: list[Hypothesis] = field(default_factory=list)

    def add(self, hypothesis: Hypothesis) -> None:
        """Keep it if it is among the best. One that ended by itself is before any that was cut."""
        self.found.append(hypothesis)
        self.found.sort(key=_order)  # stable: of equals, the one found first
        del self.found[self.most :]

    @property
    def threshold(self) -> float:
        """The rank that a new hypothesis must exceed to be kept."""
        return self.found[-1].rank if len(self.found) == self.most else float("-inf")


def _order(hypothesis: Hypothesis) -> tuple[bool, float]:
    return hypothesis.stop is None, -hypothesis.rank
