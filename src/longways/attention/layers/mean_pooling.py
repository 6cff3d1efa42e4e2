"""Mean pooling of a source into a fixed number of means, to which softmax attention attends.

B windows, G key heads, N source tokens, n means, E head size.

Time and memory of attention then do not depend on the length of a source. The means have equally
spaced centres, and each is a weighted mean of the tokens around its centre. The weights are a
softmax over the distance of a token and over its match with a learned query of the mean (after the
bounded memory of Peng et al. 2022). The queries are initialised with 0, so that pooling starts as a
blur; with more means than tokens it starts close to the identity.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from longways.attention.precision import widen

INITIAL_SHARPNESS = 4.0
"""Initially, a token at the centre of the next mean has exp(-4) times the weight it has there."""


class SourcePool(nn.Module):
    """Mean pooling in one attention layer."""

    def __init__(self, key_heads: int, head_dim: int, means: int) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.zeros(key_heads, means, head_dim))
        self.sharpness = nn.Parameter(torch.full((key_heads, means), math.log(INITIAL_SHARPNESS)))

    def forward(self, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (B, G, N, E) -> (B, G, n, E); mask (B, N) is false on padding."""
        shares = self.shares(k, mask).to(k.dtype)
        return torch.matmul(shares, k), torch.matmul(shares, v)

    def shares(self, k: Tensor, mask: Tensor) -> Tensor:
        """The weight (B, G, n, N) of each token in each mean, in float32 or better."""
        _, means, head_dim = self.queries.shape
        matches = widen(torch.matmul(self.queries.to(k.dtype), k.mT)) * head_dim**-0.5
        distances = squared_distances(mask, means, like=matches)[:, None]
        penalties = widen(self.sharpness).exp()[:, :, None] * distances
        scores = (matches - penalties).masked_fill(~mask[:, None, None, :], -torch.inf)
        weights: Tensor = scores.softmax(-1)
        return weights


def squared_distances(mask: Tensor, means: int, like: Tensor) -> Tensor:
    """The squared distance (B, n, N) of each token from each mean; adjacent means are 1 apart."""
    tokens = mask.sum(1, keepdim=True).to(like.dtype)
    places, centres = (
        torch.arange(count, dtype=like.dtype, device=like.device) + 0.5
        for count in (mask.shape[1], means)
    )
    scaled = places * (means / tokens)  # (B, N)
    return (scaled[:, None, :] - centres[:, None]).square()
