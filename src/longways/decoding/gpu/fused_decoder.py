"""The decoder for steps of one token per row, in few and large operations.

R rows (windows x beams), d model size, N outputs of a matmul.

The norm and the first matmul of a sublayer are one operation; its last matmul and the residual are
another. The result is that of `TranslationModel.step`.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from longways.attention.layers import CrossMemory
from longways.decoding.gpu.decoder_layer import (
    FusedDecoderLayer,
    FusedLayer,
    LayerState,
    StepInput,
)
from longways.decoding.gpu.layer_operations import (
    Linear,
    add_norm,
    linear_add,
    norm_linear,
    norms_between,
)
from longways.decoding.gpu.stream_layer import FusedStreamLayer
from longways.model.decoder import DecoderLayer, Matrices
from longways.model.stream.decoder import StreamDecoderLayer
from longways.model.translation import TranslationModel


class FusedDecoder:
    """The decoder of a model, for steps of one token. A step may overwrite the states it reads."""

    def __init__(self, model: TranslationModel) -> None:
        decoder, self.pre_norm = model.decoder, model.config.norm == "pre"
        self.embedding = decoder.embedding
        self.vocabulary = Linear(decoder.embedding.tokens.weight, model.output_bias)
        self.layers = [_fused(layer, W) for layer, W in decoder.with_matrices()]
        norms = [norm for layer, _ in decoder.with_matrices() for norm in _norms(layer)]
        self.norms = norms_between(norms, decoder.norm)

    def step(
        self,
        x: Tensor,
        states: Sequence[LayerState],
        memory: Sequence[CrossMemory],
        step: StepInput,
    ) -> tuple[Tensor, list[LayerState]]:
        """Decode one embedded token per row (R, d): hidden states (R, d) and the new states.

        The matmul of the hidden states with `vocabulary` gives the logits of the next token.
        """
        update: Tensor | None = None
        new_states, norms = list[LayerState](), iter(self.norms)
        for layer, state, source in zip(self.layers, states, memory, strict=True):
            is_first = layer is self.layers[0]  # kernels after a late launch may load states early
            x, joint = self._norm_linear(x, update, next(norms), layer.joint, late_launch=is_first)
            out, state = layer.causal(joint, state, step)
            new_states.append(state)
            x, update = linear_add(x, out, layer.causal_out)
            x, out = self._cross(x, update, next(norms), layer, source)
            x, update = linear_add(x, out, layer.cross_out)
            x, hidden = self._norm_linear(x, update, next(norms), layer.wide)
            x, update = linear_add(x, hidden, layer.narrow)
        last = next(norms)
        assert last is not None, "every decoder ends with a norm"
        return add_norm(x, update, last)[1], new_states

    def _cross(
        self,
        x: Tensor,
        update: Tensor | None,
        norm: nn.LayerNorm | None,
        layer: FusedLayer,
        memory: CrossMemory,
    ) -> tuple[Tensor, Tensor]:
        """The residual with the update added, and the output of cross attention."""
        assert norm is not None, "there is a norm between causal and cross attention"
        if update is None and (found := layer.norm_and_cross(x, norm, memory)):
            normed, out = found
            return (x if self.pre_norm else normed), out
        x, q = self._norm_linear(x, update, norm, layer.q)
        return x, layer.cross(q, memory)

    def _norm_linear(
        self,
        x: Tensor,
        update: Tensor | None,
        norm: nn.LayerNorm | None,
        layer: Linear,
        *,
        late_launch: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """The residual with the update added, and the output of the sublayer's first matmul.

        With `late_launch` the sublayer starts only when all kernels before the matmul have ended.
        """
        if norm is None:
            return x, layer(x)
        total, normed, out = norm_linear(x, update, norm, layer, late_launch=late_launch)
        return (total if self.pre_norm else normed), out


def _fused(layer: DecoderLayer, W: Matrices) -> FusedLayer:
    if isinstance(layer, StreamDecoderLayer):
        return FusedStreamLayer(layer)
    return FusedDecoderLayer(layer, W)


def _norms(layer: DecoderLayer) -> list[nn.LayerNorm]:
    residuals = layer.causal_residual, layer.cross_residual, layer.feed_forward.residual
    return [residual.norm for residual in residuals]
