"""The encoder for inference: few and large operations, with queries, keys and values in one matmul.

B windows, N source tokens, H heads, E head size, d model size.

The result is that of `Encoder`.
"""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor, nn

from longways.attention.softmax import softmax_attention
from longways.decoding.gpu.layer_operations import Linear, add_norm, norms_between
from longways.model.encoder import Encoder, EncoderLayer


class FusedEncoder:
    """An encoder with a copy of the weights it had when this object was made."""

    def __init__(self, encoder: Encoder) -> None:
        self.embedding = encoder.embedding
        layers = [layer for layer in encoder.layers if isinstance(layer, EncoderLayer)]
        self.layers = [_Layer(layer) for layer in layers]
        self.norms = norms_between(_norms(layers), encoder.norm)
        self.pre_norm = self.norms[0] is not None

    def __call__(self, source: Tensor, mask: Tensor | None) -> Tensor:
        """(B, N) -> (B, N, d); the mask is false on padding, and None without padding."""
        x, update, norms = self.embedding(source).flatten(0, 1), None, iter(self.norms)
        for layer in self.layers:
            x, inner = self._add_norm(x, update, next(norms))
            update = layer.attend(inner.view(*source.shape, -1), mask)
            x, inner = self._add_norm(x, update, next(norms))
            update = layer.narrow(layer.wide(inner))
        _, out = self._add_norm(x, update, next(norms))
        return out.view(*source.shape, -1)

    def _add_norm(
        self, x: Tensor, update: Tensor | None, norm: nn.LayerNorm | None
    ) -> tuple[Tensor, Tensor]:
        """The residual (B N, d) with the update added, and the input of the next sublayer."""
        if norm is None:
            return x, x
        total, normed = add_norm(x, update, norm)
        return (total if self.pre_norm else normed), normed


class _Layer:
    """The linear layers of an encoder layer; layers with the same input are one matmul."""

    def __init__(self, layer: EncoderLayer) -> None:
        attention, feed_forward = layer.attention, layer.feed_forward
        self.heads, self.out = attention.heads, Linear.of(attention.o)
        self.qkv = Linear.of(attention.q, attention.k, attention.v)
        self.wide = replace(Linear.of(feed_forward.wide), activation=feed_forward.activation)
        self.narrow = Linear.of(feed_forward.narrow)

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Self-attention: (B, N, d) -> (B N, d)."""
        joint = self.qkv(x).unflatten(2, (3, self.heads, -1))  # (B, N, 3, H, E)
        q, k, v = joint.permute(2, 0, 3, 1, 4)
        out = softmax_attention(q, k, v, mask)  # (B, H, N, E)
        return self.out(out.transpose(1, 2).flatten(2).flatten(0, 1))


def _norms(layers: list[EncoderLayer]) -> list[nn.LayerNorm]:
    return [one.norm for layer in layers for one in (layer.residual, layer.feed_forward.residual)]
