"""The encoder of a stream model: it never looks at a later sentence.

B windows, N source tokens, d model size.
"""

from __future__ import annotations

from torch import Tensor, nn

from longways.attention.state import CausalRFAState
from longways.attention.stream.self import StreamSelf
from longways.attention.stream.sentences import SourcePlaces, source_positions
from longways.model.config import ModelConfig
from longways.model.encoder import Encoder
from longways.model.stream.state import Layers
from longways.model.sublayer import FeedForward, Residual


class StreamEncoderLayer(nn.Module):
    """An encoder layer: attention with sentence and document heads, and feed-forward."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = StreamSelf(config.dim, config.heads, config.stream)
        self.residual = Residual(config)
        self.feed_forward = FeedForward(config)

    def forward(self, x: Tensor, places: SourcePlaces) -> Tensor:
        """Encode windows x (B, N, d), each of which starts a document."""
        x = self.residual.leave(x, self.attention(self.residual.enter(x), places))
        out: Tensor = self.feed_forward(x)
        return out

    def read_sentence(
        self, x: Tensor, separators: Tensor, mask: Tensor, past: CausalRFAState
    ) -> tuple[Tensor, CausalRFAState]:
        """Encode one sentence of each document, x (B, N, d), after `past`."""
        entered = self.residual.enter(x)
        update, state = self.attention.read_sentence(entered, separators, mask, past)
        return self.feed_forward(self.residual.leave(x, update)), state


class StreamEncoder(Encoder):
    """The stack of encoder layers, with the source embedding. Positions restart at sentences."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.sep, self.pad = config.sep, config.pad

    def make_layer(self, config: ModelConfig) -> nn.Module:
        """A layer of a stream model."""
        return StreamEncoderLayer(config)

    def forward(self, source: Tensor, mask: Tensor | None) -> Tensor:
        """Encode windows (B, N), each of which starts a document: (B, N, d)."""
        separators = source == self.sep
        places = SourcePlaces.of(separators, source != self.pad)
        positions = source_positions(separators)
        self.embedding.check_places(positions)
        x = self.embedding.at(source, positions)
        for layer in self.layers:
            x = layer(x, places)
        out: Tensor = self.norm(x)
        return out

    def read_sentence(self, source: Tensor, past: Layers) -> tuple[Tensor, Layers]:
        """Encode the next sentence (B, N) of each document: (B, N, d), and what it leaves."""
        mask, separators, states = source != self.pad, source == self.sep, []
        x = self.embedding(source)
        for layer, before in zip(self.stream_layers(), past, strict=True):
            x, state = layer.read_sentence(x, separators, mask, before)
            states.append(state)
        return self.norm(x), tuple(states)

    def stream_layers(self) -> list[StreamEncoderLayer]:
        """The layers, which are all of a stream model."""
        return [layer for layer in self.layers if isinstance(layer, StreamEncoderLayer)]
