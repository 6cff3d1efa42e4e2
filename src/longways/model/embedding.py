"""The embedding of tokens and positions.

B batch, T tokens, d model size.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from longways.errors import WindowError


class Embedding(nn.Module):
    """Scaled token embeddings plus sinusoidal positions."""

    table: Tensor  # (positions, d)

    def __init__(
        self,
        vocabulary: int,
        dim: int,
        positions: int,
        pad: int,
        dropout: float,
        token_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, dim, padding_idx=pad)
        nn.init.normal_(self.tokens.weight, std=dim**-0.5)
        nn.init.zeros_(self.tokens.weight[pad])
        self.dim, self.scale = dim, math.sqrt(dim)
        self.dropout, self.token_dropout = nn.Dropout(dropout), token_dropout
        self.register_buffer("table", sinusoids(positions, dim), persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Embed a window (B, T) that starts at the first position: (B, T, d)."""
        self.check(tokens.shape[1])
        return self._add(tokens, self.table[: tokens.shape[1]])

    def at(self, tokens: Tensor, positions: Tensor) -> Tensor:
        """Embed tokens of any shape at the given positions, which the caller has checked."""
        return self._add(tokens, self.table[positions])

    def check_places(self, positions: Tensor) -> None:
        """Raise unless the model has all these positions (B, T), which restart at sentences."""
        if positions.shape[1] > len(self.table):
            self.check(int(positions.max()) + 1)

    def check(self, tokens: int) -> None:
        """Raise unless a window of this length fits into the model's positions."""
        if tokens > len(self.table):
            raise WindowError(
                f"A window has {tokens} tokens, but the model has {len(self.table)} positions. "
                "Use fewer sentences in a window, or split its longest sentence."
            )

    def _add(self, tokens: Tensor, positions: Tensor) -> Tensor:
        x: Tensor = self.dropout(self._hide(self.scale * self.tokens(tokens)) + positions)
        return x

    def _hide(self, x: Tensor) -> Tensor:
        """In training, 0 in place of whole tokens of x (..., d); the others are not scaled."""
        if not self.training or not self.token_dropout:
            return x
        return x * (functional.dropout(x.new_ones(*x.shape[:-1], 1), self.token_dropout) > 0)


def sinusoids(positions: int, dim: int) -> Tensor:
    """(positions, d): sines in the even columns, cosines in the odd, as in Vaswani et al. 2017."""
    rates = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))  # (d / 2,)
    angles = torch.arange(positions)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
