"""Projections to queries, keys and values, their initialisation, and the encoder's attention.

B batch, H heads, G key heads, T tokens, N source tokens, E head size, d = H E model size.
"""

from __future__ import annotations

from torch import Tensor, nn

from longways.attention.config import CausalConfig, CrossConfig
from longways.attention.softmax import softmax_attention


class Projections(nn.Module):
    """The projections to queries, keys and values, and the output projection.

    With fewer key heads than query heads, query head h uses key head h % G.
    """

    def __init__(self, dim: int, heads: int, key_heads: int | None = None) -> None:
        super().__init__()
        self.heads, self.key_heads = heads, key_heads or heads
        keys = self.key_heads * (dim // heads)
        self.q, self.k = nn.Linear(dim, dim), nn.Linear(dim, keys)
        self.v, self.o = nn.Linear(dim, keys), nn.Linear(dim, dim)
        for linear in (self.q, self.k, self.v, self.o):
            nn.init.zeros_(linear.bias)

    def split(self, x: Tensor, heads: int | None = None) -> Tensor:
        """(B, T, H E) -> (B, H, T, E); the default is the number of query heads."""
        batch, tokens, width = x.shape
        heads = heads or self.heads
        return x.view(batch, tokens, heads, width // heads).transpose(1, 2)

    def join(self, x: Tensor) -> Tensor:
        """(B, H, T, E) -> (B, T, d), through the output projection."""
        return self.output(x.transpose(1, 2).flatten(2))

    def output(self, x: Tensor) -> Tensor:
        """The output projection, in the precision of its weights or of autocast."""
        y: Tensor = self.o(x.to(self.o.weight.dtype))
        return y

    def start_like_softmax(self) -> None:
        """Initialise with Xavier, with gain 2^-1/2 for q, k and v, since they share one input."""
        for linear, gain in ((self.q, 2**-0.5), (self.k, 2**-0.5), (self.v, 2**-0.5), (self.o, 1)):
            nn.init.xavier_uniform_(linear.weight, gain)

    def start_rfa(self, config: CausalConfig | CrossConfig) -> None:
        """Initialise as the config says: as for softmax, or with the paper's small weights.

        The small weights have Xavier gain init_scale^-1/2, and q and o of cross attention are
        close to zero.
        """
        if config.start == "softmax":
            self.start_like_softmax()
            return
        gain = config.init_scale**-0.5
        for linear in (self.q, self.k, self.v, self.o):
            nn.init.xavier_uniform_(linear.weight, gain)
        if isinstance(config, CrossConfig):
            nn.init.normal_(self.q.weight, std=0.02 * gain)
            nn.init.normal_(self.o.weight, std=0.02 * gain)


class SelfAttention(Projections):
    """The encoder's softmax attention, in which every source token attends to all others."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__(dim, heads)
        self.start_like_softmax()

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Attend within x (B, N, d); mask (B, N) is false on padding, None if there is none."""
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        return self.join(softmax_attention(q, k, v, mask))
