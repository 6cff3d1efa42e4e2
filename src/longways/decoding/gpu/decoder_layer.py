"""A decoder layer for one decoding step: the linear layers that share an input are one matmul.

R rows (windows x beams), B windows, T beams, N tokens of cache capacity, d model size, H heads,
E head size.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from longways.attention.features import ProjectedFeatures, TemperedMap
from longways.attention.fused_projection import FusedProjection, fold
from longways.attention.kernels.fused_map import fused_decode_serves, fused_map
from longways.attention.layers import CausalRFA, CrossMemory, CrossRFA
from longways.attention.rfa.cross import JointSums
from longways.attention.rfa.decode import GateInput, decode_causal, decode_cross
from longways.attention.softmax import KVMemory, shared_attention
from longways.attention.state import CausalRFAState, RFAState
from longways.decoding.gpu.layer_operations import (
    Linear,
    append,
    fused_linear_serves,
    norm_can_be_fused,
)
from longways.model.decoder import DecoderLayer, Matrices


@dataclass(frozen=True)
class KVCache:
    """Keys and values of all target tokens so far, in tensors that keep their address."""

    keys: Tensor  # (R, H, N, E)
    values: Tensor  # (R, H, N, E)


@dataclass(frozen=True)
class StreamLayerState:
    """A cache of the sentence that is searched, and the sums over all sentences before it."""

    sentence: KVCache
    document: CausalRFAState


LayerState = CausalRFAState | KVCache | StreamLayerState
"""State of causal attention in one layer."""


def cache_of(state: LayerState) -> KVCache | None:
    """The KV cache of a layer, if it has one."""
    if isinstance(state, StreamLayerState):
        return state.sentence
    return state if isinstance(state, KVCache) else None


@dataclass(frozen=True)
class StepInput:
    """Input of a decoding step that all layers share."""

    separators: Tensor  # (R,)  bool: whether the token ends a sentence
    positions: Tensor  # (R,)  position of the token
    parents: Tensor | None  # (R,)  rows whose states are continued; None: every row its own
    bias: Tensor | None  # (R, 1, 1, N)  attention bias of KV caches: 0 or minus infinity


class FoldedMap:
    """A feature map whose projection is folded into the linear layer before it.

    `plain` and `fused` compute the features from the projections, in torch and in kernels.
    """

    def __init__(self, phi: ProjectedFeatures | TemperedMap, W: Tensor | None) -> None:
        self.phi, self.W = phi, W
        self.plain, self.fused = FusedProjection(phi), fused_map(phi)

    def fold_into(self, linear: nn.Linear) -> Linear:
        """The layer of queries or keys, changed to give the projections that the map needs."""
        weight, bias = fold(self.phi, self.W, linear)
        return Linear(weight.to(linear.weight), bias.to(linear.bias))


class FusedLayer(ABC):
    """A decoder layer. Its caller runs the linear layer at the start and end of a sublayer."""

    joint: Linear
    """Gives what causal attention needs of a token: queries, keys, values and gate logits."""
    q: Linear
    """Gives the queries of cross attention, or their projections."""

    def __init__(self, layer: DecoderLayer) -> None:
        self.heads = layer.causal.heads
        self.wide = replace(
            Linear.of(layer.feed_forward.wide), activation=layer.feed_forward.activation
        )
        self.narrow = Linear.of(layer.feed_forward.narrow)
        self.causal_out, self.cross_out = Linear.of(layer.causal.o), Linear.of(layer.cross.o)

    @abstractmethod
    def causal(
        self, joint: Tensor, state: LayerState, step: StepInput
    ) -> tuple[Tensor, LayerState]:
        """Causal attention (R, d) from the output of `self.joint`."""

    @abstractmethod
    def cross(self, q: Tensor, memory: CrossMemory) -> Tensor:
        """Cross attention (R, d) from the output (R, N) of `self.q`."""

    def norm_and_cross(
        self, x: Tensor, norm: nn.LayerNorm, memory: CrossMemory
    ) -> tuple[Tensor, Tensor] | None:
        """Layer norm of x (R, d) and cross attention (R, d) after it, or None without a kernel."""
        return None


class FusedDecoderLayer(FusedLayer):
    """A decoder layer of a window model."""

    def __init__(self, layer: DecoderLayer, W: Matrices) -> None:
        super().__init__(layer)
        causal, cross, self.gate = layer.causal, layer.cross, None
        inputs: list[nn.Linear | Linear] = [causal.q, causal.k, causal.v]
        if isinstance(causal, CausalRFA):
            self.causal_map = FoldedMap(causal.phi, W.causal)
            inputs[:2] = self.causal_map.fold_into(causal.q), self.causal_map.fold_into(causal.k)
            if causal.gate != "none":
                self.gate, inputs = causal.gate, [*inputs, causal.f]
        self.widths = [len(part.weight) for part in inputs]
        self.joint, self.q = Linear.of(*inputs), Linear.of(cross.q)
        if isinstance(cross, CrossRFA):
            self.cross_map = FoldedMap(cross.phi, W.cross)
            self.q = Linear.of(self.cross_map.fold_into(cross.q))

    def causal(
        self, joint: Tensor, state: LayerState, step: StepInput
    ) -> tuple[Tensor, LayerState]:
        """Causal attention (R, d) from the output of `self.joint`: q, k, v and gate logits."""
        parts = joint.split(self.widths, 1)
        q, k, v = (part.unflatten(1, (self.heads, -1)) for part in parts[:3])
        if isinstance(state, KVCache):
            return attend_to_cache(q, k, v, state, step)
        assert isinstance(state, CausalRFAState), "the state is of a window model"
        gate = GateInput(self.gate, parts[3], step.separators) if self.gate else None
        out, state = self._causal_rfa(q, k, v, state, step.parents, gate)
        return out.flatten(1), state

    def _causal_rfa(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        past: CausalRFAState,
        parents: Tensor | None,
        gate: GateInput | None,
    ) -> tuple[Tensor, CausalRFAState]:
        phi = self.causal_map
        if not fused_decode_serves(v, v.shape[-1]):
            out, state = decode_causal(q, k, v, phi.plain, None, past, parents, gate)
            return out.to(v.dtype), state
        from longways.attention.kernels.decode_causal import decode_causal_fused

        into = past if parents is None else None
        return decode_causal_fused(
            q, k, v, phi.fused, None, past, parents, gate, into, load_early=True
        )

    def cross(self, q: Tensor, memory: CrossMemory) -> Tensor:
        """Cross attention (R, d) of the queries q (R, d), or of their projections."""
        q = q.view(_windows(memory), -1, self.heads, q.shape[1] // self.heads)
        out = self._attend_to_source(q.transpose(1, 2), memory)  # (B, H, T, E)
        return out.transpose(1, 2).flatten(2).flatten(0, 1)

    def norm_and_cross(
        self, x: Tensor, norm: nn.LayerNorm, memory: CrossMemory
    ) -> tuple[Tensor, Tensor] | None:
        """Layer norm of x (R, d) and cross attention (R, d) after it, or None without a kernel."""
        if not isinstance(memory, RFAState | JointSums):
            return None
        if not (fused_linear_serves(x) and norm_can_be_fused(x, self.q)):
            return None
        from longways.decoding.gpu.kernels.norm_cross import norm_cross_fused, serves

        fused = self.cross_map.fused
        return (
            norm_cross_fused(x, norm, self.q, fused, memory) if serves(x, fused, memory) else None
        )

    def _attend_to_source(self, q: Tensor, memory: CrossMemory) -> Tensor:
        if isinstance(memory, KVMemory):
            return softmax_cross(q, memory)
        assert isinstance(memory, RFAState | JointSums), "the memory is of a window model"
        phi = self.cross_map
        if not fused_decode_serves(q, self.cross_out.weight.shape[1] // self.heads):
            return decode_cross(q, phi.plain, None, memory).to(q.dtype)
        from longways.attention.kernels.decode_cross import decode_cross_fused

        return decode_cross_fused(q, phi.fused, None, memory, load_early=True)


def softmax_cross(q: Tensor, memory: KVMemory) -> Tensor:
    """Softmax attention to all source tokens but padding, or to all means."""
    if memory.grows:
        mask = memory.mask if memory.mask.is_floating_point() else memory.mask[:, None, None]
        return shared_attention(q, memory.keys, memory.values, mask)
    if fused_decode_serves(q, q.shape[-1]):
        from longways.attention.kernels.decode_means import decode_means_fused, serves

        if serves(q, memory):
            return decode_means_fused(q, memory)
    return shared_attention(q, memory.keys, memory.values, None)


def attend_to_cache(
    q: Tensor, k: Tensor, v: Tensor, past: KVCache, step: StepInput
) -> tuple[Tensor, KVCache]:
    """Append a token to the cache and attend to the whole cache: out (R, d)."""
    keys, values = past.keys, past.values
    if step.parents is not None:
        keys, values = keys.index_select(0, step.parents), values.index_select(0, step.parents)
    append(keys, values, k, v, step.positions)
    out = scaled_dot_product_attention(q[:, :, None], keys, values, step.bias)
    return out.flatten(1), KVCache(keys, values)


def _windows(memory: CrossMemory) -> int:
    if isinstance(memory, RFAState):
        return len(memory.S)
    assert isinstance(memory, JointSums | KVMemory), "the memory is of a window model"
    return len(memory.sums if isinstance(memory, JointSums) else memory.keys)
