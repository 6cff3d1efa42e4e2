"""A source of any length pooled into a fixed number of means, for softmax attention to these.

B windows, G heads of keys, N source tokens, n means, E head size.

Attention then costs and keeps the same however long a source is. Means stand at equal distances
over it, and each is a mean of the tokens around its place: weighted by a softmax of how near they
are, and of how well they answer a query that the mean has learned (after the bounded memory of Peng
et al. 2022). The queries start at 0, so a pool starts as a plain blur, and where there are more
means than tokens as next to none.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from longways.attention.precision import widen

SHARPNESS = 4.0
"""How sharp means start: a token at the place of the next mean counts exp(-4) of one at its own."""


class SourcePool(nn.Module):
    """The means of one attention layer."""

    def __init__(self, key_heads: int, head_dim: int, means: int) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.zeros(key_heads, means, head_dim))
        self.sharpness = nn.Parameter(torch.full((key_heads, means), math.log(SHARPNESS)))

    def forward(self, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (B, G, N, E) -> (B, G, n, E); mask (B, N) is false on padding."""
        shares = self.shares(k, mask).to(k.dtype)
        return torch.matmul(shares, k), torch.matmul(shares, v)

    def shares(self, k: Tensor, mask: Tensor) -> Tensor:
        """(B, G, n, N): how much of each token a mean takes in, in float32 or better."""
        _, means, head_dim = self.queries.shape
        answers = widen(torch.matmul(self.queries.to(k.dtype), k.mT)) * head_dim**-0.5
        apart = squared_distances(mask, means, like=answers)[:, None]
        far = widen(self.sharpness).exp()[:, :, None] * apart
        hidden = (answers - far).masked_fill(~mask[:, None, None, :], -torch.inf)
        weights: Tensor = hidden.softmax(-1)
        return weights


def squared_distances(mask: Tensor, means: int, like: Tensor) -> Tensor:
    """(B, n, N): how far each token is from each mean, squared, where means are 1 apart."""
    tokens = mask.sum(1, keepdim=True).to(like.dtype)
    places, centres = (
        torch.arange(count, dtype=like.dtype, device=like.device) + 0.5
        for count in (mask.shape[1], means)
    )
    scaled = places * (means / tokens)  # (B, N)
    return (scaled[:, None, :] - centres[:, None]).square()
