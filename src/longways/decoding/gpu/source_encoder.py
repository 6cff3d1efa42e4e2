"""Encode sources and compute the cross-attention memory of all decoder layers in one matmul.

B windows, N source tokens, L layers, H heads, G heads of keys, E head size, D features, d model
size.

Encoding a few windows is bound by the launches of many small operations, a dozen for each layer.
Where all layers are of one kind, and their keys or projections are linear in the encoder's output,
the layers are computed side by side. The result is that of `TranslationModel.encode`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from longways.attention.features import ProjectedFeatures
from longways.attention.kernels.fused_map import fused_map
from longways.attention.layers import CrossMemory, CrossRFA, CrossSoftmax
from longways.attention.precision import kernels_serve, widen
from longways.attention.rfa import JointSums, rfa_remember
from longways.attention.softmax import KVMemory
from longways.attention.state import RFAState
from longways.decoding.gpu.decoder_layer import FoldedMap
from longways.decoding.gpu.fused_encoder import FusedEncoder
from longways.decoding.gpu.layer_operations import Linear
from longways.model.decoder import Memory
from longways.model.translation import TranslationModel


class SourceEncoder:
    """The encoder of a model, followed by the cross-attention memory of its decoder."""

    def __init__(self, model: TranslationModel) -> None:
        self.model, self.encoder = model, FusedEncoder(model.encoder)
        layers = [layer.cross for layer, _ in model.decoder.with_matrices()]
        rfas = [layer for layer in layers if isinstance(layer, CrossRFA)]
        phis = [layer.phi for layer in rfas if isinstance(layer.phi, ProjectedFeatures)]
        softmaxes = [layer for layer in layers if isinstance(layer, CrossSoftmax)]
        is_plain = len(phis) == len(layers) and not any(layer.gate != "none" for layer in rfas)
        self.rfa = _RFALayers(rfas, phis) if is_plain else None
        has_keys = len(softmaxes) == len(layers) and not any(layer.pool for layer in softmaxes)
        self.softmax = _SoftmaxLayers(softmaxes) if has_keys else None

    def encode(self, source: Tensor, *, padded: bool) -> Memory:
        """The memory of source windows (B, N).

        `padded` says whether any window has padding: attention is faster without a mask.
        """
        mask = source != self.model.config.pad
        encoded = self.encoder(source, mask if padded else None)
        all_layers = self.rfa or self.softmax
        if all_layers is None:
            return self.model.remember(encoded, source)
        return Memory(tuple(all_layers(encoded, mask if padded else None)), len(source))


class _RFALayers:
    """Cross RFA with trained feature maps: projections and values of all layers."""

    def __init__(self, layers: Sequence[CrossRFA], phis: Sequence[ProjectedFeatures]) -> None:
        self.count, self.heads, self.phi = len(layers), layers[0].heads, phis[0]
        pairs = zip(phis, layers, strict=True)
        keys = [FoldedMap(phi, None).fold_into(layer.k) for phi, layer in pairs]
        values = [Linear.of(layer.v) for layer in layers]
        self.linear = Linear.of(*keys, *values)
        self.fused, self.projections = fused_map(phis[0]), self.count * len(keys[0].weight)

    def __call__(self, encoded: Tensor, mask: Tensor | None) -> list[CrossMemory]:
        y = self.linear(encoded)  # (B, N, L H (D + E))
        u, v = (self._split_heads(part) for part in y.tensor_split([self.projections], -1))
        memory = self._remember(u, v, mask)  # as one layer of L H heads
        return [_memory_of_layer(memory, layer, self.count) for layer in range(self.count)]

    def _remember(self, u: Tensor, v: Tensor, mask: Tensor | None) -> RFAState | JointSums:
        if kernels_serve(v):
            from longways.attention.kernels.cross_summary import remember_fused

            return remember_fused(u, v, self.fused, mask)
        phi = self.phi.activate(widen(u))
        written = phi if mask is None else phi * mask[:, None, :, None]
        return rfa_remember(written.to(v.dtype), v)

    def _split_heads(self, y: Tensor) -> Tensor:
        """(B, N, L H ...) -> (B, L H, N, ...)."""
        heads: Tensor = y.unflatten(-1, (self.count * self.heads, -1))
        return heads.transpose(1, 2)


class _SoftmaxLayers:
    """Softmax cross attention: keys and values of all layers."""

    def __init__(self, layers: Sequence[CrossSoftmax]) -> None:
        self.count, self.heads = len(layers), layers[0].key_heads
        self.linear = Linear.of(*(one for layer in layers for one in (layer.k, layer.v)))

    def __call__(self, encoded: Tensor, mask: Tensor | None) -> list[CrossMemory]:
        y = self.linear(encoded).unflatten(-1, (self.count, 2, self.heads, -1))
        if mask is None:
            mask = torch.ones(y.shape[:2], dtype=torch.bool, device=y.device)
        sides = y.permute(2, 3, 0, 4, 1, 5)  # (L, 2, B, G, N, E)
        return [KVMemory(keys, values, mask) for keys, values in sides]


def _memory_of_layer(memory: RFAState | JointSums, layer: int, layers: int) -> CrossMemory:
    """The heads of one layer, cut out of the heads of all layers."""
    if isinstance(memory, JointSums):
        return JointSums(memory.sums.unflatten(1, (layers, -1))[:, layer])
    S, z = (x.unflatten(1, (layers, -1))[:, layer] for x in (memory.S, memory.z))
    return RFAState(S, z)
