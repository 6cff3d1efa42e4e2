"""Cross attention of a stream model.

B windows, H heads, of them d document heads; T target tokens, N source tokens, E head size, D
features, dim model size.

A target token of sentence j attends with its sentence heads to source sentence j, and with its
document heads to the source sentences 1 to j.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.gate import hide_padding
from longways.attention.layers.cross import CrossAttention, CrossMemory
from longways.attention.observed import Observed
from longways.attention.ranges import range_attention
from longways.attention.rfa import rfa_read
from longways.attention.softmax import KVMemory, softmax_attention
from longways.attention.state import CausalRFAState
from longways.attention.stream.document import (
    document_parallel,
    document_sums,
    document_weights,
    fades,
)
from longways.attention.stream.heads import StreamHeads
from longways.attention.stream.memory import SentenceMemory, WindowMemory
from longways.attention.stream.sentences import SourcePlaces


class StreamCross(StreamHeads, CrossAttention):
    """Attention to the source sentence that is translated, and to the source so far."""

    def remember(
        self, source: Tensor, mask: Tensor, W: Tensor | None, separators: Tensor | None = None
    ) -> SentenceMemory:
        """The memory of sources (B, N, dim) that are one sentence, the first of a document."""
        past = self.empty(len(source), source)
        return self.remember_sentence(source, torch.zeros_like(mask), mask, past)[0]

    def remember_sentence(
        self, source: Tensor, separators: Tensor, mask: Tensor, past: CausalRFAState
    ) -> tuple[SentenceMemory, CausalRFAState]:
        """The memory of the next sentence (B, N, dim) of each document, and what it leaves."""
        k, v = self.split(self.k(source)), self.split(self.v(source))
        _, write, gate = hide_padding(*self.gates(source, separators, past.gate), mask)
        sums = document_sums(self.features(k), self.far(v), past.gate.keep, write, past.sums)
        memory = SentenceMemory(KVMemory(self.near(k), self.near(v), mask), sums)
        return memory, CausalRFAState(sums, gate)

    def remember_window(self, source: Tensor, places: SourcePlaces) -> WindowMemory:
        """The memory of windows (B, N, dim), each of which starts a document."""
        k, v = self.split(self.k(source)), self.split(self.v(source))
        gates = self.gates(source, places.separators, self.open_gate(source))
        keep, write = (y[..., :-1] for y in gates)
        return WindowMemory(self.near(k), v, self.features(k), fades(keep), write, places)

    def attend(self, q: Tensor, memory: CrossMemory, W: Tensor | None) -> Tensor:
        """Attend with queries q (B, H, T, E); beams of a sentence are queries like tokens."""
        if isinstance(memory, SentenceMemory):
            near = self._read_sentence(q, memory)
            far = rfa_read(self.features(q), memory.sums)
        else:
            assert isinstance(memory, WindowMemory)
            near, far = self._read_window(q, memory)
        return torch.cat([near, far.to(near.dtype)], 1)

    def _read_sentence(self, q: Tensor, memory: SentenceMemory) -> Tensor:
        known = memory.sentence
        return softmax_attention(self.near(q), known.keys, known.values, known.mask)

    def _read_window(self, q: Tensor, memory: WindowMemory) -> tuple[Tensor, Tensor]:
        places, sentences = memory.places, memory.sentences
        assert sentences is not None, "the window is not seen from a target yet"
        own = places.ranges(sentences)
        near = range_attention(self.near(q), memory.keys, self.near(memory.values), own)
        phi_k, fade_q, fade_k, write, visible = self._seen(memory)
        v = self.far(memory.values)
        far = document_parallel(self.features(q), phi_k, v, fade_q, fade_k, write, visible)
        return near, far

    def _seen(self, memory: WindowMemory) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """phi_k, fade_q, fade_k, write and visible of the document heads."""
        places, sentences = memory.places, memory.sentences
        assert sentences is not None, "the window is not seen from a target yet"
        own = places.ranges(sentences)
        first = own.first[:, None].expand(-1, self.document_heads, -1)
        fade_q = memory.fade.gather(2, first)
        return memory.phi, fade_q, memory.fade, memory.write, places.so_far(sentences)

    def observe(self, x: Tensor, source: Tensor, memory: WindowMemory) -> Observed:
        """The weights of the document heads for x (B, T, dim) of windows, and their gates."""
        q = self.features(self.split(self.q(x)))
        return Observed(document_weights(q, *self._seen(memory)), self.gate_values(source))

    def weights(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor,
        W: Tensor | None,
        separators: Tensor | None = None,
    ) -> Tensor:
        """The weights (B, H - d, T, N) of the sentence heads; mask is (B, N) or (B, T, N)."""
        q, k = self.near(self.split(self.q(x))), self.near(self.split(self.k(source)))
        scores = torch.matmul(q, k.mT) * q.shape[-1] ** -0.5
        visible = mask if mask.ndim == 3 else mask[:, None]
        weights: Tensor = scores.masked_fill(~visible[:, None], -torch.inf).softmax(-1)
        return weights
