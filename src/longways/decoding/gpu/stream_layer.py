"""A decoder layer of a stream model for one decoding step.

R rows (documents x beams), B documents, T beams, d model size, H heads, of them D document heads;
E head size, K features.

A search is one sentence: its cache starts empty, and only its first token is a separator. The
heads are two groups, as in `attention.stream`: sentence heads come first and read the cache,
document heads come last and read sums.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from longways.attention.kernels.fused_map import fused_decode_serves
from longways.attention.layers import CrossMemory
from longways.attention.rfa.decode import GateInput, decode_causal, decode_cross
from longways.attention.state import CausalRFAState, RFAState
from longways.attention.stream.memory import SentenceMemory
from longways.decoding.gpu.decoder_layer import (
    FoldedMap,
    FusedLayer,
    LayerState,
    StepInput,
    StreamLayerState,
    attend_to_cache,
    softmax_cross,
)
from longways.decoding.gpu.layer_operations import Linear
from longways.model.stream.decoder import StreamDecoderLayer


class FusedStreamLayer(FusedLayer):
    """A decoder layer of a stream model."""

    def __init__(self, layer: StreamDecoderLayer) -> None:
        super().__init__(layer)
        causal, cross = layer.causal, layer.cross
        self.near, self.head_dim = causal.sentence_heads, causal.q.out_features // self.heads
        self.causal_map, self.cross_map = FoldedMap(causal.phi, None), FoldedMap(cross.phi, None)
        queries, keys = (self._grouped(x, self.causal_map) for x in (causal.q, causal.k))
        inputs = [*queries, *keys, Linear.of(causal.v)]
        self.gate = causal.gate
        if causal.gate != "none":
            inputs.append(Linear.of(causal.f))
        self.widths = [len(part.weight) for part in inputs]
        self.joint = Linear.of(*inputs).aligned()
        queries = self._grouped(cross.q, self.cross_map)
        self.q_widths = [len(part.weight) for part in queries]
        self.q = Linear.of(*queries).aligned()

    def _grouped(self, linear: nn.Linear, phi: FoldedMap) -> tuple[Linear, Linear]:
        """The queries or keys of the sentence heads, and the projections of the document heads."""
        rows = self.near * self.head_dim
        return Linear.of(_rows(linear, 0, rows)), phi.fold_into(_rows(linear, rows, None))

    def causal(
        self, joint: Tensor, state: LayerState, step: StepInput
    ) -> tuple[Tensor, StreamLayerState]:
        """Attention (R, d) to the sentence so far, and to the target so far."""
        assert isinstance(state, StreamLayerState), "the state is of a stream model"
        near_q, far_q, near_k, far_k, v, *logits = _split(joint, self.widths)
        q, k, v = (x.unflatten(1, (-1, self.head_dim)) for x in (near_q, near_k, v))
        near, sentence = attend_to_cache(q, k, v[:, : self.near], state.sentence, step)
        far_q, far_k = (x.unflatten(1, (self.heads - self.near, -1)) for x in (far_q, far_k))
        gate = GateInput(self.gate, logits[0], step.separators) if self.gate != "none" else None
        far_v = v[:, self.near :]
        far, document = self._far(far_q, far_k, far_v, state.document, step.parents, gate)
        out = torch.cat([near, far.flatten(1)], 1)
        return out, StreamLayerState(sentence, document)

    def _far(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        past: CausalRFAState,
        parents: Tensor | None,
        gate: GateInput | None,
    ) -> tuple[Tensor, CausalRFAState]:
        """The document heads (R, D, E), given projections q and k (R, D, K)."""
        if not fused_decode_serves(v, self.head_dim):
            phi = self.causal_map.plain
            out, state = decode_causal(q, k, v, phi, None, past, parents, gate)
            return out.to(v.dtype), state
        from longways.attention.kernels.decode_causal import decode_causal_fused

        into = past if parents is None else None
        return decode_causal_fused(q, k, v, self.causal_map.fused, None, past, parents, gate, into)

    def cross(self, q: Tensor, memory: CrossMemory) -> Tensor:
        """Attention (R, d) to the source sentence, and to the source so far."""
        assert isinstance(memory, SentenceMemory), "the memory is of a stream model"
        by_document = q.unflatten(0, (len(memory.sums.S), -1))  # (B, T, N)
        near, far = _split(by_document, self.q_widths)
        heads = near.unflatten(-1, (self.near, -1)).transpose(1, 2)  # (B, H - D, T, E)
        u = far.unflatten(-1, (self.heads - self.near, -1)).transpose(1, 2)  # (B, D, T, K)
        both = softmax_cross(heads, memory.sentence), self._far_cross(u, memory.sums).to(q.dtype)
        return torch.cat(both, 1).transpose(1, 2).flatten(2).flatten(0, 1)

    def _far_cross(self, u: Tensor, sums: RFAState) -> Tensor:
        if not fused_decode_serves(u, self.head_dim):
            return decode_cross(u, self.cross_map.plain, None, sums)
        from longways.attention.kernels.decode_cross import decode_cross_fused

        return decode_cross_fused(u, self.cross_map.fused, None, sums)


def _split(x: Tensor, widths: Sequence[int]) -> tuple[Tensor, ...]:
    """The parts of a layer's outputs (..., N), without those that align its rows."""
    parts: tuple[Tensor, ...] = x[..., : sum(widths)].split(list(widths), -1)
    return parts


def _rows(linear: nn.Linear, start: int, stop: int | None) -> nn.Linear:
    """Some outputs of a linear layer."""
    part = nn.Linear(linear.in_features, 1, device="meta")
    part.weight = nn.Parameter(linear.weight.detach()[start:stop], requires_grad=False)
    part.bias = nn.Parameter(linear.bias.detach()[start:stop], requires_grad=False)
    return part
