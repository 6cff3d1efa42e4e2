"""What one attention layer does with a batch, for statistics: its weights, gates and temperature.

B windows, H heads, T queries, N keys.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from longways.attention.rfa.constants import MIN_NORM


class Observed(NamedTuple):
    """The weights before they are divided by their sum, and the learned values of the layer."""

    weights: Tensor  # (B, H, T, N)  0 for keys that a query does not see
    gates: Tensor | None = None  # (B, H, N)  f of every token; acts at separators
    tau: Tensor | None = None  # (H,)

    def under_floor(self) -> Tensor:
        """(B, H, T): whether the sum of a query's weights is under the floor of the norm."""
        return self.weights.sum(-1) < MIN_NORM

    def effective_keys(self) -> Tensor:
        """(B, H, T): (sum |w|)^2 / sum w^2, which is n for a query that reads n keys equally."""
        squares = self.weights.square().sum(-1)
        smallest = squares.new_tensor(1e-30)
        return self.weights.abs().sum(-1).square() / squares.maximum(smallest)
