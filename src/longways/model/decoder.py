"""The decoder: causal attention within a target window, and cross attention to the source.

B windows, R = B x beams rows, T target tokens, N source tokens, d model size, H heads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn

from longways.attention.features import FEATURE_MAPS
from longways.attention.layers import (
    CausalAttention,
    CausalRFA,
    CausalSoftmax,
    CrossAttention,
    CrossMemory,
    CrossRFA,
    CrossSoftmax,
)
from longways.attention.random_matrices import MatrixPool
from longways.attention.state import CausalState
from longways.model.config import ModelConfig
from longways.model.embedding import Embedding
from longways.model.sublayer import FeedForward, Residual, final_norm


@dataclass(frozen=True)
class Memory:
    """The decoder's memory of a batch of source windows: one cross memory for each layer."""

    layers: tuple[CrossMemory, ...]
    windows: int

    def size_bytes(self) -> int:
        """Bytes of the memory for the whole batch."""
        return sum(layer.size_bytes() for layer in self.layers)


@dataclass(frozen=True)
class State:
    """The state of decoding, with R rows; the beams of a window are adjacent rows.

    The memory has one row for each window, so `reorder` must move rows within their window only.
    """

    memory: Memory
    layers: tuple[CausalState, ...]
    positions: Tensor  # (R,)  the position of the next token of each row
    longest: int  # an upper bound of `positions`, known on the host

    def reorder(self, beams: Tensor) -> State:
        """The rows in `beams` (R,), in that order; each row must stay in its window."""
        layers = tuple(layer.reorder(beams) for layer in self.layers)
        return replace(self, layers=layers, positions=self.positions[beams])

    def size_bytes(self) -> int:
        """Bytes of the causal states for the whole batch; the memory is not included."""
        return sum(layer.size_bytes() for layer in self.layers)


class Matrices(NamedTuple):
    """The random matrices (H, K, E) of one decoder layer, None if it needs none."""

    causal: Tensor | None
    cross: Tensor | None


class DecoderLayer(nn.Module):
    """A decoder layer: causal attention, cross attention, feed-forward."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.causal: CausalAttention = self.make_causal(config)
        self.causal_residual = Residual(config)
        self.cross: CrossAttention = self.make_cross(config)
        self.cross_residual = Residual(config)
        self.feed_forward = FeedForward(config)

    def make_causal(self, config: ModelConfig) -> CausalAttention:
        """Causal attention of the kind in the config."""
        if config.causal.kind == "rfa":
            return CausalRFA(config.dim, config.heads, config.causal)
        return CausalSoftmax(config.dim, config.heads)

    def make_cross(self, config: ModelConfig) -> CrossAttention:
        """Cross attention of the kind in the config."""
        cross = CrossRFA if config.cross.kind == "rfa" else CrossSoftmax
        return cross(config.dim, config.heads, config.cross)

    def forward(self, x: Tensor, separators: Tensor, memory: CrossMemory, W: Matrices) -> Tensor:
        """Read a whole window: x (B, T, d), separators (B, T)."""
        return self.after_causal(self.before_cross(x, separators, W), memory, W)

    def before_cross(self, x: Tensor, separators: Tensor, W: Matrices) -> Tensor:
        """Causal attention over a whole window (B, T, d)."""
        update = self.causal(self.causal_residual.enter(x), separators, W.causal)
        return self.causal_residual.leave(x, update)

    def cross_weights(
        self, x: Tensor, source: Tensor, mask: Tensor, W: Matrices, separators: Tensor
    ) -> Tensor:
        """Cross attention weights (B, H, T, N) of the encoded source (B, N, d).

        x (B, T, d) is the output of `before_cross`; separators (B, N) say where the source has one.
        """
        entered = self.cross_residual.enter(x)
        return self.cross.weights(entered, source, mask, W.cross, separators)

    def extend(
        self,
        x: Tensor,
        separators: Tensor,
        mask: Tensor,
        past: CausalState,
        memory: CrossMemory,
        W: Matrices,
    ) -> tuple[Tensor, CausalState]:
        """Add a padded prefix to the state: x (B, T, d), separators and mask (B, T)."""
        entered = self.causal_residual.enter(x)
        update, state = self.causal.extend(entered, separators, mask, past, W.causal)
        return self.after_causal(self.causal_residual.leave(x, update), memory, W), state

    def step(
        self, x: Tensor, separators: Tensor, past: CausalState, memory: CrossMemory, W: Matrices
    ) -> tuple[Tensor, CausalState]:
        """Add one token to each row: x (B, beams, d), separators (B, beams)."""
        entered = self.causal_residual.enter(x).flatten(0, 1)  # (R, d)
        update, state = self.causal.step(entered, separators.flatten(), past, W.causal)
        x = self.causal_residual.leave(x, update.view_as(x))
        return self.after_causal(x, memory, W), state

    def after_causal(self, x: Tensor, memory: CrossMemory, W: Matrices) -> Tensor:
        """Cross attention and feed-forward of x (B, T, d)."""
        update = self.cross.read(self.cross_residual.enter(x), memory, W.cross)
        out: Tensor = self.feed_forward(self.cross_residual.leave(x, update))
        return out


class LayerTrace(NamedTuple):
    """A layer with its hidden vectors for a whole window."""

    layer: DecoderLayer
    W: Matrices
    before: Tensor  # (B, T, d)  the input of the layer
    between: Tensor  # (B, T, d)  after causal attention, before cross attention


class Decoder(nn.Module):
    """The stack of decoder layers, with the target embedding."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.sep = config.sep
        self.embedding = Embedding(
            config.target_vocabulary,
            config.dim,
            config.positions,
            config.pad,
            config.dropout,
            config.token_dropout,
        )
        self.layers = nn.ModuleList(self.make_layer(config) for _ in range(config.decoder_layers))
        self.norm = final_norm(config)
        self.pools = nn.ModuleDict(_pools(config))

    def make_layer(self, config: ModelConfig) -> DecoderLayer:
        """A layer of the stack."""
        return DecoderLayer(config)

    def redraw(self, update: int) -> None:
        """Draw the random matrices of this training update for every layer and head."""
        for pool in self.pools.values():
            assert isinstance(pool, MatrixPool)
            pool.redraw(update)

    def remember(self, source: Tensor, mask: Tensor, separators: Tensor) -> Memory:
        """The memory of the encoded source (B, N, d) with its separators (B, N), by layer."""
        layers = (
            layer.cross.remember(source, mask, W.cross, separators)
            for layer, W in self.with_matrices()
        )
        return Memory(tuple(layers), len(source))

    def forward(self, target: Tensor, memory: Memory) -> Tensor:
        """Read a whole window: (B, T) -> (B, T, d)."""
        x, separators = self.embed(target), target == self.sep
        memory = self.seen_from(memory, separators)
        for (layer, W), cross_memory in zip(self.with_matrices(), memory.layers, strict=True):
            x = layer(x, separators, cross_memory, W)
        out: Tensor = self.norm(x)
        return out

    def embed(self, target: Tensor) -> Tensor:
        """Embed whole windows: (B, T) -> (B, T, d)."""
        return self.embedding(target)  # type: ignore[no-any-return]

    def seen_from(self, memory: Memory, separators: Tensor) -> Memory:
        """The memory as the target tokens with these separators (B, T) see it: all of it."""
        return memory

    def trace(self, target: Tensor, memory: Memory) -> Iterator[LayerTrace]:
        """The hidden vectors of `forward`, layer by layer, to analyse attention."""
        x, separators = self.embed(target), target == self.sep
        memory = self.seen_from(memory, separators)
        for (layer, W), cross_memory in zip(self.with_matrices(), memory.layers, strict=True):
            between = layer.before_cross(x, separators, W)
            yield LayerTrace(layer, W, x, between)
            x = layer.after_causal(between, cross_memory, W)

    def start(self, memory: Memory, capacity: int) -> State:
        """The state before the first token, with one row for each window."""
        like = self.embedding.tokens.weight
        layers = tuple(
            layer.causal.start(memory.windows, capacity, like) for layer, _ in self.with_matrices()
        )
        positions = torch.zeros(memory.windows, dtype=torch.long, device=like.device)
        return State(memory, layers, positions, 0)

    def extend(self, target: Tensor, mask: Tensor, state: State) -> State:
        """Read a prefix (B, T), padded at the end, in one parallel pass."""
        return self.read(target, mask, state)[1]

    def read(self, target: Tensor, mask: Tensor, state: State) -> tuple[Tensor, State]:
        """Read a prefix as `extend` does; also returns the hidden vectors (B, T, d)."""
        longest = state.longest + target.shape[1]
        self.embedding.check(longest)
        offsets = torch.arange(target.shape[1], device=target.device)
        x = self.embedding.at(target, state.positions[:, None] + offsets)
        separators, states = target == self.sep, []
        for (layer, W), past, cross_memory in self._layers_of(state):
            x, new = layer.extend(x, separators, mask, past, cross_memory, W)
            states.append(new)
        state = State(state.memory, tuple(states), state.positions + mask.sum(1), longest)
        return self.norm(x), state

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one token for each row: (R,) -> (R, d)."""
        self.embedding.check(state.longest + 1)
        beams = state.memory.windows, -1  # the beams of a window read its memory together
        x = self.embedding.at(tokens, state.positions).view(*beams, self.embedding.dim)
        separators, states = (tokens == self.sep).view(beams), []
        for (layer, W), past, cross_memory in self._layers_of(state):
            x, new = layer.step(x, separators, past, cross_memory, W)
            states.append(new)
        state = State(state.memory, tuple(states), state.positions + 1, state.longest + 1)
        return self.norm(x.flatten(0, 1)), state

    def with_matrices(self) -> Iterator[tuple[DecoderLayer, Matrices]]:
        """Each layer with its random matrices."""
        for index, layer in enumerate(self.layers):
            assert isinstance(layer, DecoderLayer)
            drawn = {name: pool(index) for name, pool in self.pools.items()}
            yield layer, Matrices(drawn.get("causal"), drawn.get("cross"))

    def _layers_of(
        self, state: State
    ) -> Iterator[tuple[tuple[DecoderLayer, Matrices], CausalState, CrossMemory]]:
        return zip(self.with_matrices(), state.layers, state.memory.layers, strict=True)


def _pools(config: ModelConfig) -> dict[str, nn.Module]:
    """A pool of random matrices for each attention that needs one, each from its own seed."""
    pools: dict[str, nn.Module] = {}
    for number, (name, attention) in enumerate(
        (("causal", config.causal), ("cross", config.cross))
    ):
        orthogonal = FEATURE_MAPS[attention.feature_map].orthogonal
        if attention.kind == "rfa" and orthogonal is not None and not config.is_stream:
            pools[name] = MatrixPool(
                layers=config.decoder_layers,
                heads=config.heads,
                projection=attention.projection,
                head_dim=config.head_dim,
                size=config.pool,
                seed=2 * config.seed + number,
                orthogonal=orthogonal,
            )
    return pools
