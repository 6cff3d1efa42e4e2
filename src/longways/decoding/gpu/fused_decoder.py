"""The decoder as decoding wants it: one token a row, as few and as large operations as there are.

R rows (windows x beams), d model size, N outputs of a product.

A norm and the first product of its sublayer are one operation, its last product and the residual
another. The numbers are those of `TranslationModel.step`.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from longways.attention.layers import CrossMemory
from longways.decoding.gpu.decoder_layer import LayerStep, Past, StepLayer
from longways.decoding.gpu.layer_operations import (
    Linear,
    add_norm,
    linear_add,
    norm_linear,
    norms_between,
)
from longways.model.decoder import DecoderLayer
from longways.model.translation import TranslationModel


class FusedDecoder:
    """The decoder of a model, for steps of one token. A past is used up by its step."""

    def __init__(self, model: TranslationModel) -> None:
        decoder, self.pre = model.decoder, model.config.norm == "pre"
        self.embedding = decoder.embedding
        self.words = Linear(decoder.embedding.tokens.weight, None)
        self.layers = [StepLayer(layer, W) for layer, W in decoder.with_matrices()]
        norms = [norm for layer, _ in decoder.with_matrices() for norm in _norms(layer)]
        self.norms = norms_between(norms, decoder.norm)

    def step(
        self, x: Tensor, pasts: Sequence[Past], memory: Sequence[CrossMemory], turn: LayerStep
    ) -> tuple[Tensor, list[Past]]:
        """Read one embedded token a row (R, d): what it came to (R, d), and what is known.

        The product of the former with `words` has the logits of the next token.
        """
        update: Tensor | None = None
        new, norms = list[Past](), iter(self.norms)
        for layer, past, known in zip(self.layers, pasts, memory, strict=True):
            late = layer is self.layers[0]  # states are read early by all that come after it
            x, joint = self._enter(x, update, next(norms), layer.joint, late=late)
            out, past = layer.causal(joint, past, turn)
            new.append(past)
            x, update = linear_add(x, out, layer.causal_out)
            x, out = self._cross(x, update, next(norms), layer, known)
            x, update = linear_add(x, out, layer.cross_out)
            x, hidden = self._enter(x, update, next(norms), layer.wide)
            x, update = linear_add(x, hidden, layer.narrow)
        last = next(norms)
        assert last is not None, "every decoder ends with a norm"
        return add_norm(x, update, last)[1], new

    def _cross(
        self,
        x: Tensor,
        update: Tensor | None,
        norm: nn.LayerNorm | None,
        layer: StepLayer,
        memory: CrossMemory,
    ) -> tuple[Tensor, Tensor]:
        """The residual with an update added, and what cross attention reads after it."""
        assert norm is not None, "causal attention ends with a norm, or this begins with one"
        if update is None and (found := layer.cross_at_once(x, norm, memory)):
            normed, out = found
            return (x if self.pre else normed), out
        x, q = self._enter(x, update, norm, layer.q)
        return x, layer.cross(q, memory)

    def _enter(
        self,
        x: Tensor,
        update: Tensor | None,
        norm: nn.LayerNorm | None,
        linear: Linear,
        *,
        late: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """The residual with an update added, and what the next sublayer first makes of it.

        `late` says that this sublayer starts only when all before that has ended.
        """
        if norm is None:
            return x, linear(x)
        total, normed, out = norm_linear(x, update, norm, linear, late=late)
        return (total if self.pre else normed), out


def _norms(layer: DecoderLayer) -> list[nn.LayerNorm]:
    residuals = layer.causal_residual, layer.cross_residual, layer.feed_forward.residual
    return [residual.norm for residual in residuals]
