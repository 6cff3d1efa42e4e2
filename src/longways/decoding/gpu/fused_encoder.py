"""The encoder as reading sources wants it: few and large operations, all tokens side by side.

B windows, N source tokens, H heads, E head size, d model size.

Queries, keys and values come of one product. The numbers are those of `Encoder`.
"""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor, nn

from longways.attention.softmax import softmax_attention
from longways.decoding.gpu.layer_operations import Linear, add_norm, norms_between
from longways.model.encoder import Encoder, EncoderLayer


class FusedEncoder:
    """An encoder with the weights that it had when this was made."""

    def __init__(self, encoder: Encoder) -> None:
        self.embedding = encoder.embedding
        found = [layer for layer in encoder.layers if isinstance(layer, EncoderLayer)]
        self.layers = [_Layer(layer) for layer in found]
        self.norms = norms_between(_norms(found), encoder.norm)
        self.pre = self.norms[0] is not None

    def __call__(self, source: Tensor, mask: Tensor | None) -> Tensor:
        """(B, N) -> (B, N, d); the mask is false on padding, None where there is none."""
        x, update, norms = self.embedding(source).flatten(0, 1), None, iter(self.norms)
        for layer in self.layers:
            x, inner = self._enter(x, update, next(norms))
            update = layer.attend(inner.view(*source.shape, -1), mask)
            x, inner = self._enter(x, update, next(norms))
            update = layer.narrow(layer.wide(inner))
        _, out = self._enter(x, update, next(norms))
        return out.view(*source.shape, -1)

    def _enter(
        self, x: Tensor, update: Tensor | None, norm: nn.LayerNorm | None
    ) -> tuple[Tensor, Tensor]:
        """The residual (B N, d) with an update added, and what the next sublayer sees of it."""
        if norm is None:
            return x, x
        total, normed = add_norm(x, update, norm)
        return (total if self.pre else normed), normed


class _Layer:
    """The products of a layer, those of the same input as one."""

    def __init__(self, layer: EncoderLayer) -> None:
        attention, feed_forward = layer.attention, layer.feed_forward
        self.heads, self.out = attention.heads, Linear.of(attention.o)
        self.qkv = Linear.of(attention.q, attention.k, attention.v)
        self.wide = replace(Linear.of(feed_forward.wide), gelu=True)
        self.narrow = Linear.of(feed_forward.narrow)

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """(B, N, d) -> (B N, d)."""
        joint = self.qkv(x).unflatten(2, (3, self.heads, -1))  # (B, N, 3, H, E)
        q, k, v = joint.permute(2, 0, 3, 1, 4)
        out = softmax_attention(q, k, v, mask)  # (B, H, N, E)
        return self.out(out.transpose(1, 2).flatten(2).flatten(0, 1))


def _norms(layers: list[EncoderLayer]) -> list[nn.LayerNorm]:
    return [one.norm for layer in layers for one in (layer.residual, layer.feed_forward.residual)]
