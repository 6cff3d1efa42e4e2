"""The encoder: bidirectional softmax attention within a source window.

B windows, N source tokens, d model size.
"""

from __future__ import annotations

from torch import Tensor, nn

from longways.attention.layers import SelfAttention
from longways.model.config import ModelConfig
from longways.model.embedding import Embedding
from longways.model.sublayer import FeedForward, Residual, final_norm


class EncoderLayer(nn.Module):
    """An encoder layer: attention and feed-forward."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config.dim, config.heads)
        self.residual = Residual(config)
        self.feed_forward = FeedForward(config)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Encode x (B, N, d); mask (B, N) is false on padding, None if there is none."""
        x = self.residual.leave(x, self.attention(self.residual.enter(x), mask))
        out: Tensor = self.feed_forward(x)
        return out


class Encoder(nn.Module):
    """The stack of encoder layers, with the source embedding."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embedding = Embedding(
            config.source_vocabulary,
            config.dim,
            config.positions,
            config.pad,
            config.dropout,
            config.token_dropout,
        )
        self.layers = nn.ModuleList(self.make_layer(config) for _ in range(config.encoder_layers))
        self.norm = final_norm(config)

    def make_layer(self, config: ModelConfig) -> nn.Module:
        """A layer of the stack."""
        return EncoderLayer(config)

    def forward(self, source: Tensor, mask: Tensor | None) -> Tensor:
        """Encode source windows: (B, N) -> (B, N, d)."""
        x = self.embedding(source)
        for layer in self.layers:
            x = layer(x, mask)
        out: Tensor = self.norm(x)
        return out
