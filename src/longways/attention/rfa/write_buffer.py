"""A causal state and the tokens since it was written.

R rows (windows x beams), H heads, E head size, D features, J tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from longways.attention.state import CausalRFAState


@dataclass(frozen=True)
class WriteBuffer:
    """The tokens since a state was written. Each step uses up what it is given."""

    features: Tensor  # (R, H, J, D)  float32
    values: Tensor  # (R, H, J, E)
    weights: Tensor  # (R, H, J + 1)  float32: what each counts by now, and last the state
    places: Tensor  # (R, J + 1)  the rows that they lie in, for beams
    past: CausalRFAState
    """The state, and the gate as it is now."""
    count: int = 0

    @property
    def most(self) -> int:
        """Tokens at the end of which the state is written."""
        return self.features.shape[2]


def no_tokens(past: CausalRFAState, most: int, like: Tensor) -> WriteBuffer:
    """Before the first of so many steps; values will be as precise as `like`."""
    rows, heads, features, head_dim = past.sums.S.shape
    S = past.sums.S
    return WriteBuffer(
        S.new_empty(rows, heads, most, features),
        like.new_empty(rows, heads, most, head_dim),
        S.new_empty(rows, heads, most + 1),
        torch.empty(rows, most + 1, dtype=torch.int32, device=S.device),
        past,
    )
