"""A decoder layer as decoding wants it: each sublayer after the product that it begins with.

R rows (windows x beams), B windows, T beams, N tokens of room, d model size, H heads, E head size.

The weights are the model's own, those that share an input side by side in one matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from longways.attention.features import ProjectedFeatures, TemperedMap
from longways.attention.fused_projection import FusedProjection, fold
from longways.attention.kernels.fused_map import decodes_fused, fused_map
from longways.attention.layers import CausalRFA, CrossMemory, CrossRFA
from longways.attention.rfa.cross import JointSums
from longways.attention.rfa.decode import GateInput, decode_causal, decode_cross
from longways.attention.softmax import KVMemory, shared_attention
from longways.attention.state import CausalRFAState, RFAState
from longways.decoding.gpu.layer_operations import Linear, append, few, normed_in_one
from longways.model.decoder import DecoderLayer, Matrices


@dataclass(frozen=True)
class Cache:
    """Keys and values of every token so far, in memory that stays where it is."""

    keys: Tensor  # (R, H, N, E)
    values: Tensor  # (R, H, N, E)


Past = CausalRFAState | Cache
"""What a layer knows of the target so far."""


@dataclass(frozen=True)
class LayerStep:
    """What every layer is told about the step."""

    separators: Tensor  # (R,)  bool: whether the token read ends a sentence
    positions: Tensor  # (R,)  of the token
    parents: Tensor | None  # (R,)  the rows it is read after; None: each after itself
    visible: Tensor | None  # (R, 1, 1, N)  0 or minus infinity, for those that keep a cache


class StepMap:
    """A feature map of which all that is linear has gone into the product before it.

    `plain` and `fused` are the rest, for torch and for kernels.
    """

    def __init__(self, phi: ProjectedFeatures | TemperedMap, W: Tensor | None) -> None:
        self.phi, self.W = phi, W
        self.plain, self.fused = FusedProjection(phi), fused_map(phi)

    def before(self, linear: nn.Linear) -> Linear:
        """What gives the map its input, made of what gives queries or keys."""
        weight, bias = fold(self.phi, self.W, linear)
        return Linear(weight.to(linear.weight), bias.to(linear.bias))


class StepLayer:
    """One decoder layer, each sublayer after the product that it begins with."""

    def __init__(self, layer: DecoderLayer, W: Matrices) -> None:
        self.heads = layer.causal.heads
        causal, cross, self.gate = layer.causal, layer.cross, None
        inputs: list[nn.Linear | Linear] = [causal.q, causal.k, causal.v]
        if isinstance(causal, CausalRFA):
            self.causal_map = StepMap(causal.phi, W.causal)
            inputs[:2] = self.causal_map.before(causal.q), self.causal_map.before(causal.k)
            if causal.gate != "none":
                self.gate, inputs = causal.gate, [*inputs, causal.f]
        self.widths = [len(part.weight) for part in inputs]
        self.joint, self.q = Linear.of(*inputs), Linear.of(cross.q)
        if isinstance(cross, CrossRFA):
            self.cross_map = StepMap(cross.phi, W.cross)
            self.q = Linear.of(self.cross_map.before(cross.q))
        self.wide = replace(Linear.of(layer.feed_forward.wide), gelu=True)
        self.narrow = Linear.of(layer.feed_forward.narrow)
        self.causal_out, self.cross_out = Linear.of(causal.o), Linear.of(layer.cross.o)

    def causal(self, joint: Tensor, past: Past, turn: LayerStep) -> tuple[Tensor, Past]:
        """Causal attention (R, d) from q, k, v and the logits of the gate, side by side."""
        parts = joint.split(self.widths, 1)
        q, k, v = (part.unflatten(1, (self.heads, -1)) for part in parts[:3])
        if isinstance(past, Cache):
            return _look_back(q, k, v, past, turn)
        gate = GateInput(self.gate, parts[3], turn.separators) if self.gate else None
        out, known = self._remember(q, k, v, past, turn.parents, gate)
        return out.flatten(1), known

    def _remember(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        past: CausalRFAState,
        parents: Tensor | None,
        gate: GateInput | None,
    ) -> tuple[Tensor, CausalRFAState]:
        phi = self.causal_map
        if not decodes_fused(v, v.shape[-1]):
            out, state = decode_causal(q, k, v, phi.plain, None, past, parents, gate)
            return out.to(v.dtype), state
        from longways.attention.kernels.decode_causal import decode_causal_fused

        into = past if parents is None else None
        return decode_causal_fused(
            q, k, v, phi.fused, None, past, parents, gate, into, settled=True
        )

    def cross(self, q: Tensor, memory: CrossMemory) -> Tensor:
        """Cross attention (R, d) with q (R, d), or with its projections."""
        q = q.view(len(_first(memory)), -1, self.heads, q.shape[1] // self.heads)
        out = self._read(q.transpose(1, 2), memory)  # (B, H, T, E)
        return out.transpose(1, 2).flatten(2).flatten(0, 1)

    def cross_at_once(
        self, x: Tensor, norm: nn.LayerNorm, memory: CrossMemory
    ) -> tuple[Tensor, Tensor] | None:
        """x (R, d) normalised, and cross attention (R, d) to that, if one kernel does both."""
        if isinstance(memory, KVMemory) or not (few(x) and normed_in_one(x, self.q)):
            return None
        from longways.decoding.gpu.kernels.norm_cross import norm_cross_fused, serves

        fused = self.cross_map.fused
        return (
            norm_cross_fused(x, norm, self.q, fused, memory) if serves(x, fused, memory) else None
        )

    def _read(self, q: Tensor, memory: CrossMemory) -> Tensor:
        if isinstance(memory, KVMemory):
            return _attend(q, memory)
        phi = self.cross_map
        if not decodes_fused(q, self.cross_out.weight.shape[1] // self.heads):
            return decode_cross(q, phi.plain, None, memory).to(q.dtype)
        from longways.attention.kernels.decode_cross import decode_cross_fused

        return decode_cross_fused(q, phi.fused, None, memory, settled=True)


def _attend(q: Tensor, memory: KVMemory) -> Tensor:
    """Softmax attention to every token of the source that is real, or to all means."""
    if memory.grows:
        mask = memory.mask if memory.mask.is_floating_point() else memory.mask[:, None, None]
        return shared_attention(q, memory.keys, memory.values, mask)
    if decodes_fused(q, q.shape[-1]):
        from longways.attention.kernels.decode_means import decode_means_fused, serves

        if serves(q, memory):
            return decode_means_fused(q, memory)
    return shared_attention(q, memory.keys, memory.values, None)


def _look_back(
    q: Tensor, k: Tensor, v: Tensor, past: Cache, turn: LayerStep
) -> tuple[Tensor, Cache]:
    """Add a token to the cache and attend to all of it: out (R, d)."""
    keys, values = past.keys, past.values
    if turn.parents is not None:
        keys, values = keys.index_select(0, turn.parents), values.index_select(0, turn.parents)
    append(keys, values, k, v, turn.positions)
    out = scaled_dot_product_attention(q[:, :, None], keys, values, turn.visible)
    return out.flatten(1), Cache(keys, values)


def _first(memory: CrossMemory) -> Tensor:
    if isinstance(memory, RFAState):
        return memory.S
    return memory.sums if isinstance(memory, JointSums) else memory.keys
