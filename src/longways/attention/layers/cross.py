"""Cross attention layers: attention from the decoder to the source.

B windows, H heads, T target tokens, N source tokens, E head size, d = H E model size, K rows of W,
G key heads.

`remember` computes the memory of a source once; `read` attends to it. W (H, K, E) are the random
matrices of this layer, None if the feature map needs none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from longways.attention.config import CrossConfig
from longways.attention.features import FEATURE_MAPS
from longways.attention.gate import fade_to_end
from longways.attention.layers.mean_pooling import SourcePool
from longways.attention.layers.projections import Projections
from longways.attention.observed import Observed
from longways.attention.precision import widen
from longways.attention.rfa import MIN_NORM, JointSums, key_weights, rfa_read, rfa_remember
from longways.attention.softmax import KVMemory, softmax_attention
from longways.attention.state import RFAState
from longways.attention.stream.memory import SentenceMemory, WindowMemory

CrossMemory = RFAState | JointSums | KVMemory | SentenceMemory | WindowMemory
"""The memory of the source in a cross attention layer of any kind."""


class CrossAttention(Projections, ABC):
    """The interface of cross attention, the same for softmax and RFA.

    The memory has one row for each window. The beams of a window read it like several target
    tokens, so the memory is shared and never copied.
    """

    @abstractmethod
    def remember(
        self, source: Tensor, mask: Tensor, W: Tensor | None, separators: Tensor | None = None
    ) -> CrossMemory:
        """The memory of a source (B, N, d); mask (B, N) is false on padding.

        Only a gate uses the separators (B, N) of the source.
        """

    @abstractmethod
    def attend(self, q: Tensor, memory: CrossMemory, W: Tensor | None) -> Tensor:
        """Attend to the memory with queries q (B, H, T, E)."""

    @abstractmethod
    def weights(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor,
        W: Tensor | None,
        separators: Tensor | None = None,
    ) -> Tensor:
        """The attention weights (B, H, T, N) of every source token for x (B, T, d)."""

    def read(self, x: Tensor, memory: CrossMemory, W: Tensor | None) -> Tensor:
        """Attend to the memory of B windows with x (B, T, d)."""
        return self.join(self.attend(self.split(self.q(x)), memory, W))


class CrossSoftmax(CrossAttention):
    """Softmax cross attention to all source tokens or to pooled means, with H or G key heads."""

    def __init__(self, dim: int, heads: int, config: CrossConfig) -> None:
        super().__init__(dim, heads, config.key_heads)
        self.start_like_softmax()
        means = config.means
        self.pool = SourcePool(self.key_heads, dim // heads, means) if means else None

    def remember(
        self, source: Tensor, mask: Tensor, W: Tensor | None, separators: Tensor | None = None
    ) -> KVMemory:
        """The keys and values of the source tokens, or of their means."""
        k, v = (self.split(project(source), self.key_heads) for project in (self.k, self.v))
        if self.pool is None:
            return KVMemory(k, v, mask)
        k, v = self.pool(k, v, mask)
        return KVMemory(k, v, mask.new_ones(len(k), k.shape[2]), grows=False)

    def attend(self, q: Tensor, memory: CrossMemory, W: Tensor | None) -> Tensor:
        """Fused softmax attention."""
        assert isinstance(memory, KVMemory)
        mask = memory.mask if memory.grows else None  # means are never padding
        return softmax_attention(q, memory.keys, memory.values, mask)

    def weights(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor,
        W: Tensor | None,
        separators: Tensor | None = None,
    ) -> Tensor:
        """The softmax weights; weights of means are distributed over their tokens."""
        memory, q = self.remember(source, mask, W), self.split(self.q(x))
        k = self._for_all_heads(memory.keys)
        scores = torch.matmul(q, k.mT) * q.shape[-1] ** -0.5
        hidden = scores.masked_fill(~memory.mask[:, None, None, :], -torch.inf)
        weights: Tensor = hidden.softmax(-1)
        if self.pool is None:
            return weights
        shares = self.pool.shares(self.split(self.k(source), self.key_heads), mask)
        return torch.matmul(widen(weights), self._for_all_heads(shares))

    def _for_all_heads(self, y: Tensor) -> Tensor:
        """(B, G, ...) -> (B, H, ...): query head h uses key head h % G."""
        return y.repeat(1, self.heads // self.key_heads, 1, 1)


class CrossRFA(CrossAttention):
    """Cross RFA: its memory has a fixed size for sources of any length."""

    def __init__(self, dim: int, heads: int, config: CrossConfig) -> None:
        super().__init__(dim, heads)
        self.phi = FEATURE_MAPS[config.feature_map](
            heads, dim // heads, config.projection, config.tau
        )
        self.start_rfa(config)
        self.gate = config.gate
        if config.gate != "none":
            self.f = nn.Linear(dim, heads)  # w_f and b_f, one gate a head
            nn.init.xavier_uniform_(self.f.weight, config.init_scale**-0.5)
            nn.init.constant_(self.f.bias, config.gate_bias)

    def remember(
        self, source: Tensor, mask: Tensor, W: Tensor | None, separators: Tensor | None = None
    ) -> RFAState | JointSums:
        """S and z over the source, each key weighted by its norm, and faded by gates."""
        k, v = self.split(self.k(source)), self.split(self.v(source))
        return rfa_remember(self.phi(k, W, self._key_weights(k, source, mask, separators)), v)

    def _key_weights(
        self, k: Tensor, source: Tensor, mask: Tensor, separators: Tensor | None
    ) -> Tensor:
        weights = key_weights(self.phi.log_key_norms(k), mask)
        if self.gate == "none":
            return weights
        assert separators is not None, "a gate needs the separators of the source"
        return weights * fade_to_end(widen(self.f(source)).sigmoid().transpose(1, 2), separators)

    def attend(self, q: Tensor, memory: CrossMemory, W: Tensor | None) -> Tensor:
        """phi(q) S / phi(q) . z."""
        assert isinstance(memory, RFAState | JointSums)
        return rfa_read(self.phi(q, W), memory)

    def weights(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor,
        W: Tensor | None,
        separators: Tensor | None = None,
    ) -> Tensor:
        """phi(q) . phi(k), normalised. They are estimates, so some can be negative."""
        scores = self.observe(x, source, mask, W, separators).weights
        return scores / scores.sum(-1, keepdim=True).clamp_min(MIN_NORM)

    def observe(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor,
        W: Tensor | None,
        separators: Tensor | None = None,
    ) -> Observed:
        """The weights of every source token for x (B, T, d), the gates and the temperature."""
        q, k = self.split(self.q(x)), self.split(self.k(source))
        written = self.phi(k, W, self._key_weights(k, source, mask, separators))
        scores = widen(torch.matmul(self.phi(q, W), written.mT))
        gated = self.gate != "none"
        gates = widen(self.f(source)).sigmoid().transpose(1, 2) if gated else None
        return Observed(scores, gates, self.phi.temperature)
