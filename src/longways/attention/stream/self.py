"""Attention of a stream model's encoder.

B windows, H heads, of them d document heads; N source tokens, E head size, dim model size.

Sentence heads attend within the sentence, document heads to all sentences up to the token's own;
both look in both directions inside the sentence, and nothing looks at a later sentence.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.gate import hide_padding
from longways.attention.ranges import range_attention
from longways.attention.rfa import rfa_read
from longways.attention.softmax import softmax_attention
from longways.attention.state import CausalRFAState
from longways.attention.stream.document import document_parallel, document_sums, fades
from longways.attention.stream.heads import StreamHeads
from longways.attention.stream.sentences import SourcePlaces


class StreamSelf(StreamHeads):
    """Bidirectional attention within sentences, and to the document so far."""

    def forward(self, x: Tensor, places: SourcePlaces) -> Tensor:
        """The parallel form over windows x (B, N, dim), each of which starts a document."""
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        own = places.ranges(places.sentences)
        near = range_attention(self.near(q), self.near(k), self.near(v), own)
        keep, write = (y[..., :-1] for y in self.gates(x, places.separators, self.open_gate(x)))
        fade = fades(keep)
        far = document_parallel(
            self.features(q), self.features(k), self.far(v), fade, fade, write,
            places.so_far(places.sentences),
        )  # fmt: skip
        return self.join(torch.cat([near, far.to(near.dtype)], 1))

    def read_sentence(
        self, x: Tensor, separators: Tensor, mask: Tensor, past: CausalRFAState
    ) -> tuple[Tensor, CausalRFAState]:
        """The form by sentence: x (B, N, dim) is one sentence of each document, after `past`."""
        q, k, v = (self.split(project(x)) for project in (self.q, self.k, self.v))
        near = softmax_attention(self.near(q), self.near(k), self.near(v), mask)
        _, write, gate = hide_padding(*self.gates(x, separators, past.gate), mask)
        sums = document_sums(self.features(k), self.far(v), past.gate.keep, write, past.sums)
        far = rfa_read(self.features(q), sums)
        return self.join(torch.cat([near, far.to(near.dtype)], 1)), CausalRFAState(sums, gate)
