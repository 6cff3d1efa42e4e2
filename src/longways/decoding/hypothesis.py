"""Hypotheses: finished translations with their scores, and the n best of a window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


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
        self.found.sort(key=_order)  # stable: of equal ranks, the first found comes first
        del self.found[self.nbest :]

    @property
    def threshold(self) -> float:
        """The rank that a new hypothesis must exceed to be kept."""
        return self.found[-1].rank if len(self.found) == self.nbest else float("-inf")


def _order(hypothesis: Hypothesis) -> tuple[bool, float]:
    return hypothesis.stop is None, -hypothesis.rank
