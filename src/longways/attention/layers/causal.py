"""Causal attention layers: attention from the decoder to the earlier target tokens.

B rows (windows x beams), H heads, T target tokens, E head size, d = H E model size, K projections.

`forward` reads a whole window in training, `extend` adds a padded prefix to a state, `step` adds
one token. Both kinds have the same methods, so the decoder does not distinguish them. W (H, K, E)
are the random matrices of this layer, None if the feature map needs none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from longways.attention.config import CausalConfig
from longways.attention.features import FEATURE_MAPS
from longways.attention.gate import gate_step, gate_window, hide_padding
from longways.attention.layers.projections import Projections
from longways.attention.observed import Observed
from longways.attention.precision import widen
from longways.attention.rfa import causal_weights, rfa_causal, rfa_step
from longways.attention.softmax import softmax_causal, softmax_extend
from longways.attention.state import CausalRFAState, CausalState, GateState, KVState, RFAState


class CausalAttention(Projections, ABC):
    """The interface of causal attention, the same for softmax and RFA."""

    @abstractmethod
    def forward(self, x: Tensor, separators: Tensor, W: Tensor | None) -> Tensor:
        """Read a whole window (B, T, d); no token attends to padding at the end of a row."""

    @abstractmethod
    def start(self, batch: int, capacity: int, like: Tensor) -> CausalState:
        """The state before the first token; a KV cache is allocated for `capacity` tokens."""

    @abstractmethod
    def extend(
        self, x: Tensor, separators: Tensor, mask: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, CausalState]:
        """Add tokens (B, T, d) to the state; mask (B, T) is false on padding at a row's end."""

    @abstractmethod
    def step(
        self, x: Tensor, separators: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, CausalState]:
        """Add one token (B, d) to the state; separators (B,)."""


class CausalSoftmax(CausalAttention):
    """Causal softmax attention with a KV cache."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__(dim, heads)
        self.start_like_softmax()

    def forward(self, x: Tensor, separators: Tensor, W: Tensor | None) -> Tensor:
        """Attend within a window; separators are ordinary tokens."""
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        return self.join(softmax_causal(q, k, v))

    def start(self, batch: int, capacity: int, like: Tensor) -> KVState:
        """An empty cache."""
        return KVState.empty(batch, self.heads, capacity, like.shape[-1] // self.heads, like)

    def extend(
        self, x: Tensor, separators: Tensor, mask: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, KVState]:
        """Append the new keys and values, then attend."""
        assert isinstance(past, KVState)
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        out, state = softmax_extend(q, k, v, mask, past)
        return self.join(out), state

    def step(
        self, x: Tensor, separators: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, KVState]:
        """Extend the state by one token."""
        mask = torch.ones_like(separators)[:, None]
        out, state = self.extend(x[:, None], separators[:, None], mask, past, W)
        return out[:, 0], state


class CausalRFA(CausalAttention):
    """Causal RFA, with a sentential gate if the config has one."""

    def __init__(self, dim: int, heads: int, config: CausalConfig) -> None:
        super().__init__(dim, heads)
        self.gate = config.gate
        self.phi = FEATURE_MAPS[config.feature_map](
            heads, dim // heads, config.projection, config.tau
        )
        self.start_rfa(config)
        if config.gate != "none":
            self.f = nn.Linear(dim, heads)  # w_f and b_f, one gate a head
            nn.init.xavier_uniform_(self.f.weight, config.init_scale**-0.5)
            nn.init.constant_(self.f.bias, config.gate_bias)

    def forward(self, x: Tensor, separators: Tensor, W: Tensor | None) -> Tensor:
        """Attend within a window, in one chunk or in several, depending on its length."""
        past = GateState.open(len(x), self.heads, like=x)
        keep, write = (y[..., :-1] for y in self._gates(x, separators, past))
        out, _ = rfa_causal(*self._heads(x, W), keep, write)
        return self.join(out)

    def start(self, batch: int, capacity: int, like: Tensor) -> CausalRFAState:
        """Empty sums and an open gate; `capacity` is ignored."""
        head_dim = like.shape[-1] // self.heads
        sums = RFAState.empty(batch, self.heads, self.phi.features, head_dim, like)
        return CausalRFAState(sums, GateState.open(batch, self.heads, like))

    def extend(
        self, x: Tensor, separators: Tensor, mask: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, CausalRFAState]:
        """Add the tokens in chunks."""
        assert isinstance(past, CausalRFAState)
        keep, write, gate = hide_padding(*self._gates(x, separators, past.gate), mask)
        out, sums = rfa_causal(*self._heads(x, W), keep, write, past.sums)
        assert sums is not None
        return self.join(out), CausalRFAState(sums, gate)

    def step(
        self, x: Tensor, separators: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, CausalRFAState]:
        """Take one step of the recurrent form."""
        assert isinstance(past, CausalRFAState)
        keep, write, gate = past.gate.keep, past.gate.write, past.gate
        if self.gate != "none":
            keep, write, gate = gate_step(self.gate, widen(self.f(x)).sigmoid(), separators, gate)
        phi_q, phi_k, v = (y[:, :, 0] for y in self._heads(x[:, None], W))
        out, sums = rfa_step(phi_q, phi_k, v, keep, write, past.sums)
        return self.output(out.flatten(1)), CausalRFAState(sums, gate)

    def observe(self, x: Tensor, separators: Tensor, W: Tensor | None) -> Observed:
        """The weights of a whole window (B, T, d), the gates and the temperature."""
        past = GateState.open(len(x), self.heads, like=x)
        keep, write = (y[..., :-1] for y in self._gates(x, separators, past))
        phi_q, phi_k, _ = self._heads(x, W)
        weights = causal_weights(phi_q, phi_k, keep, write)
        return Observed(weights, self._gate_values(x), self.phi.temperature)

    def _heads(self, x: Tensor, W: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """phi_q, phi_k and v of the tokens x (B, T, d)."""
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        return self.phi(q, W), self.phi(k, W), v

    def _gates(self, x: Tensor, separators: Tensor, past: GateState) -> tuple[Tensor, Tensor]:
        """keep and write (B, H, T + 1) of every token and of the next one."""
        f = self._gate_values(x)
        if f is None:
            ones = past.keep.new_ones(()).expand(*past.keep.shape, x.shape[1] + 1)
            return ones, ones
        return gate_window(self.gate, f, separators, past)

    def _gate_values(self, x: Tensor) -> Tensor | None:
        """f (B, H, T) of every token; None without a gate."""
        return None if self.gate == "none" else widen(self.f(x)).sigmoid().transpose(1, 2)
