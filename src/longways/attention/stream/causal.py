"""Causal attention of a stream model.

B rows, H heads, of them d document heads; T target tokens, E head size, dim model size.

Sentence heads attend to the target tokens of the sentence so far, document heads to the whole
target so far: they are the paper's gated RFA. A separator begins a sentence (`sentences.py`), so
reading one empties the KV cache of the sentence heads.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from longways.attention.gate import hide_padding
from longways.attention.layers.causal import CausalAttention
from longways.attention.observed import Observed
from longways.attention.ranges import range_attention
from longways.attention.rfa import causal_weights, rfa_causal
from longways.attention.softmax import softmax_extend
from longways.attention.state import CausalRFAState, CausalState, KVState, StreamCausalState
from longways.attention.stream.heads import StreamHeads
from longways.attention.stream.sentences import target_ranges


class StreamCausal(StreamHeads, CausalAttention):
    """Attention to the sentence so far, and to the target so far."""

    def forward(self, x: Tensor, separators: Tensor, W: Tensor | None) -> Tensor:
        """The parallel form over windows x (B, T, dim), each of which starts a document."""
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        own = target_ranges(separators)
        near = range_attention(self.near(q), self.near(k), self.near(v), own)
        keep, write = (y[..., :-1] for y in self.gates(x, separators, self.open_gate(x)))
        phi_q, phi_k = self.features(q), self.features(k)
        far, _ = rfa_causal(phi_q, phi_k, self.far(v).contiguous(), keep, write)
        return self.join(torch.cat([near, far.to(near.dtype)], 1))

    def observe(self, x: Tensor, separators: Tensor) -> Observed:
        """The weights and gates of the document heads for windows (B, T, dim)."""
        q, k = self.split(self.q(x)), self.split(self.k(x))
        keep, write = (y[..., :-1] for y in self.gates(x, separators, self.open_gate(x)))
        weights = causal_weights(self.features(q), self.features(k), keep, write)
        return Observed(weights, self.gate_values(x))

    def start(self, batch: int, capacity: int, like: Tensor) -> StreamCausalState:
        """An empty cache and empty sums."""
        return self.go_on(self.empty(batch, like), capacity, like)

    def go_on(self, past: CausalRFAState, capacity: int, like: Tensor) -> StreamCausalState:
        """The state before the first token of a sentence, after what earlier ones left."""
        head_dim = like.shape[-1] // self.heads
        rows = len(past.gate.keep)
        cache = KVState.empty(rows, self.sentence_heads, capacity, head_dim, like)
        return StreamCausalState(cache, past)

    def extend(
        self, x: Tensor, separators: Tensor, mask: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, StreamCausalState]:
        """Add tokens of one sentence (B, T, dim); only the first may be a separator."""
        assert isinstance(past, StreamCausalState)
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        lengths = torch.where(separators[:, 0], 0, past.sentence.lengths)
        cache = replace(past.sentence, lengths=lengths)
        near, cache = softmax_extend(self.near(q), self.near(k), self.near(v), mask, cache)
        document = past.document
        keep, write, gate = hide_padding(*self.gates(x, separators, document.gate), mask)
        phi_q, phi_k = self.features(q), self.features(k)
        far, sums = rfa_causal(phi_q, phi_k, self.far(v), keep, write, document.sums)
        assert sums is not None
        state = StreamCausalState(cache, CausalRFAState(sums, gate))
        return self.join(torch.cat([near, far.to(near.dtype)], 1)), state

    def step(
        self, x: Tensor, separators: Tensor, past: CausalState, W: Tensor | None
    ) -> tuple[Tensor, StreamCausalState]:
        """Add one token to each row: x (B, dim), separators (B,)."""
        mask = torch.ones_like(separators)[:, None]
        out, state = self.extend(x[:, None], separators[:, None], mask, past, W)
        return out[:, 0], state
