"""The decoder of a stream model.

B windows or documents, R = B x beams rows, T target tokens, N source tokens, d model size.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from longways.attention.state import StreamCausalState
from longways.attention.stream.causal import StreamCausal
from longways.attention.stream.cross import StreamCross
from longways.attention.stream.memory import WindowMemory
from longways.attention.stream.sentences import SourcePlaces, target_positions
from longways.model.config import ModelConfig
from longways.model.decoder import Decoder, DecoderLayer, Memory, State
from longways.model.stream.state import Layers


class StreamDecoderLayer(DecoderLayer):
    """A decoder layer with sentence and document heads in both kinds of attention."""

    causal: StreamCausal
    cross: StreamCross

    def make_causal(self, config: ModelConfig) -> StreamCausal:
        """Causal attention of a stream model."""
        return StreamCausal(config.dim, config.heads, config.stream)

    def make_cross(self, config: ModelConfig) -> StreamCross:
        """Cross attention of a stream model."""
        return StreamCross(config.dim, config.heads, config.stream)


class StreamDecoder(Decoder):
    """The stack of decoder layers, with the target embedding. Positions restart at sentences."""

    def make_layer(self, config: ModelConfig) -> StreamDecoderLayer:
        """A layer of a stream model."""
        return StreamDecoderLayer(config)

    def embed(self, target: Tensor) -> Tensor:
        """Embed windows (B, T), with positions within sentences: (B, T, d)."""
        positions = target_positions(target == self.sep)
        self.embedding.check_places(positions)
        return self.embedding.at(target, positions)

    def remember_window(self, encoded: Tensor, places: SourcePlaces) -> Memory:
        """The memory of whole windows (B, N, d), each of which starts a document."""
        layers = (layer.cross.remember_window(encoded, places) for layer in self.stream_layers())
        return Memory(tuple(layers), len(encoded))

    def remember_sentence(
        self, encoded: Tensor, separators: Tensor, mask: Tensor, past: Layers
    ) -> tuple[Memory, Layers]:
        """The memory of the next sentence (B, N, d) of each document, and what it leaves."""
        memories, states = [], []
        for layer, before in zip(self.stream_layers(), past, strict=True):
            memory, state = layer.cross.remember_sentence(encoded, separators, mask, before)
            memories.append(memory)
            states.append(state)
        return Memory(tuple(memories), len(encoded)), tuple(states)

    def seen_from(self, memory: Memory, separators: Tensor) -> Memory:
        """The memory of windows as the target tokens with these separators (B, T) see it."""
        layers = (
            layer.for_target(separators) if isinstance(layer, WindowMemory) else layer
            for layer in memory.layers
        )
        return replace(memory, layers=tuple(layers))

    def go_on(self, memory: Memory, past: Layers, capacity: int) -> State:
        """The state before the first token of a sentence, after what earlier ones left."""
        like = self.embedding.tokens.weight
        layers = tuple(
            layer.causal.go_on(before, capacity, like)
            for layer, before in zip(self.stream_layers(), past, strict=True)
        )
        positions = torch.zeros(memory.windows, dtype=torch.long, device=like.device)
        return State(memory, layers, positions, 0)

    def stream_layers(self) -> list[StreamDecoderLayer]:
        """The layers, which are all of a stream model."""
        return [layer for layer in self.layers if isinstance(layer, StreamDecoderLayer)]


def left_behind(state: State) -> Layers:
    """The sums and gates of all causal document heads after the tokens that a state has read."""
    layers = (layer for layer in state.layers if isinstance(layer, StreamCausalState))
    return tuple(layer.document for layer in layers)
