"""The ONNX engine: exported graphs driven by search, on a CPU, without torch.

B windows, K beams, R rows of the state, C candidates, N source tokens, P prefix tokens, T target
tokens, V target words.

The engine knows no architecture. What the encoder's graph gives is the memory; what the decoder's
takes as `past.*` and gives as `new.*` is the state, zeros before the first token. Arrays are views
of the engine's own memory. Rows of the state are moved when a step needs them elsewhere: until
then, `start` and `select` only note where they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.errors import WindowError
from longways.model.config import ModelConfig
from longways.model.manifest import read_manifest
from longways.runtime.protocol import SPARE, Scores, Tokens, row_lengths
from longways.runtime.session import Session, open_sessions

Lengths = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]

PAST, NEW = "past.", "new."
"""What the names of the state begin with, going in and coming out."""

SCORED_AT_ONCE = 2048
"""Target tokens, padding included, whose probabilities of all words are in memory together."""


@dataclass(frozen=True)
class OnnxMemory:
    """What the encoder's graph says of source windows."""

    arrays: Arrays
    lengths: Lengths  # (B,)  source tokens


@dataclass(frozen=True)
class OnnxState:
    """Where decoding stands."""

    arrays: Arrays
    memory: OnnxMemory
    lengths: Lengths  # (B,)  target tokens read
    rows: Lengths  # (B, K)  where the row of each beam is in the arrays


class OnnxRuntime:
    """Exported graphs as search sees them."""

    def __init__(self, encoder: Session, decoder: Session, config: ModelConfig) -> None:
        self.encoder, self.decoder, self.config = encoder, decoder, config
        self._state = {
            name: shape for name, shape in decoder.inputs.items() if name.startswith(PAST)
        }
        self._names = ["scores", "ids", *(name.replace(PAST, NEW) for name in self._state)]

    @classmethod
    def load(cls, folder: Path, threads: int | None = None) -> OnnxRuntime:
        """The graphs in a model folder; `threads` compute an operator, by default one a core."""
        config = read_manifest(folder).model
        return cls(*open_sessions(folder, threads), config)

    @property
    def positions(self) -> int:
        """The most tokens that a source window, or a prefix and what follows it, may have."""
        return self.config.positions

    def encode(self, windows: Tokens) -> OnnxMemory:
        """Source windows (B, N), summarised once."""
        self._check(windows.shape[1])
        found = self.encoder.run({"source": windows})
        return OnnxMemory(found, row_lengths(windows))

    def start(self, memory: OnnxMemory, prefix: Tokens, beams: int) -> OnnxState:
        """The state after a forced prefix (B, P), read in one parallel pass."""
        windows, longest = prefix.shape
        arrays, lengths = self._nothing(windows), row_lengths(prefix)
        if longest:
            self._check(longest)
            tokens, positions = _pad_in_front(prefix, lengths, self.config.pad)
            arrays = self._read(tokens, positions, memory.arrays, arrays, first=longest)
        rows = np.repeat(np.arange(windows)[:, None], beams, axis=1)
        return OnnxState(arrays, memory, lengths, rows)

    def step(
        self, tokens: Tokens, parents: Tokens, state: OnnxState
    ) -> tuple[Scores, Tokens, OnnxState]:
        """Follow the parents (B, K) and read one token (B, K) after each."""
        self._check(int(state.lengths.max()) + 1)
        rows = np.take_along_axis(state.rows, parents, 1)
        arrays = self._follow(state, rows.ravel())
        positions = np.repeat(state.lengths[:, None], tokens.shape[1], axis=1)
        candidates = min(tokens.shape[1] + SPARE, self.config.target_vocabulary)
        found = self._read(tokens, positions, state.memory.arrays, arrays, candidates=candidates)
        rows = np.arange(tokens.size).reshape(tokens.shape)
        after = OnnxState(found, state.memory, state.lengths + 1, rows)
        return found["scores"], found["ids"], after

    def select(self, state: OnnxState, windows: Tokens) -> OnnxState:
        """The state and the memory of some windows, the others forgotten."""
        lengths = state.memory.lengths[windows]
        longest = slice(int(lengths.max()))
        arrays = {
            name: _move(array, windows, self.decoder.axis(name, "source"), longest)
            for name, array in state.memory.arrays.items()
        }
        memory = OnnxMemory(arrays, lengths)
        return OnnxState(state.arrays, memory, state.lengths[windows], state.rows[windows])

    def score(self, source: Tokens, target: Tokens) -> Scores:
        """The log-probability (B, T) of each token of target windows (B, T)."""
        together = max(1, SCORED_AT_ONCE // max(1, target.shape[1]))
        parts = [
            self._score(source[start : start + together], target[start : start + together])
            for start in range(0, len(target), together)
        ]
        return np.concatenate(parts) if parts else np.zeros(target.shape, dtype=np.float32)

    def _score(self, source: Tokens, target: Tokens) -> Scores:
        memory, (windows, longest) = self.encode(source), target.shape
        self._check(longest)
        tokens = np.roll(target, 1, axis=1)
        tokens[:, :1] = self.config.bos
        positions = np.repeat(np.arange(longest)[None], windows, axis=0)
        nothing = self._nothing(windows)
        asked = {"wanted": target[..., None], **_asking(0, 1)}
        read = {"tokens": tokens, "positions": positions}
        found = self.decoder.run({**read, **asked, **memory.arrays, **nothing}, ["given"])
        scores: Scores = np.where(target == self.config.pad, 0, found["given"][..., 0])
        return scores

    def _read(
        self,
        tokens: Tokens,
        positions: Tokens,
        memory: Arrays,
        state: Arrays,
        first: int = 0,
        candidates: int = 1,
    ) -> dict[str, NDArray[Any]]:
        """The new state, scores and ids."""
        none = np.zeros((len(tokens), tokens.shape[1] - first, 0), dtype=np.int64)
        read = {"tokens": tokens, "positions": positions, "wanted": none}
        past = {name: state[name] for name in self._state}
        found = self.decoder.run({**read, **_asking(first, candidates), **memory, **past}, self._names)
        return {name.replace(NEW, PAST): array for name, array in found.items()}

    def _nothing(self, rows: int) -> dict[str, NDArray[Any]]:
        """The state before the first token."""
        sizes = {"rows": rows, "read": 0}
        return {
            name: np.zeros([n if isinstance(n, int) else sizes[n] for n in shape], np.float32)
            for name, shape in self._state.items()
        }

    def _follow(self, state: OnnxState, rows: Lengths) -> Arrays:
        """The state with the rows in this order; where it grew with the text, without padding."""
        some = state.arrays[next(iter(self._state))]
        if np.array_equal(rows, np.arange(len(some))):
            return state.arrays
        longest = int(state.lengths.max())
        last = slice(-longest if longest else 0, None)
        return {
            name: _move(state.arrays[name], rows, self.decoder.axis(name, "read"), last)
            for name in self._state
        }

    def _check(self, tokens: int) -> None:
        """Raise unless a window of so many tokens has positions."""
        if tokens > self.positions:
            raise WindowError(
                f"A window has {tokens} tokens, but the model has {self.positions} positions. "
                "Use fewer sentences in a window, or split its longest sentence."
            )


def _asking(first: int, candidates: int) -> dict[str, NDArray[np.int64]]:
    """From which token on candidates are asked for, and how many."""
    return {"first": np.array([first]), "candidates": np.array([candidates])}


def _pad_in_front(tokens: Tokens, lengths: Lengths, pad: int) -> tuple[Tokens, Tokens]:
    """Tokens (B, T) moved to the end of their rows, and their positions; padding has 0."""
    places = np.arange(tokens.shape[1]) - (tokens.shape[1] - lengths)[:, None]
    positions = np.maximum(places, 0)
    moved = np.take_along_axis(tokens, positions, 1)
    return np.where(places < 0, pad, moved), positions


def _move(
    array: NDArray[Any], rows: Lengths, axis: int | None, kept: slice
) -> NDArray[Any]:
    """Some rows of an array, copied, and of one more axis the part to keep."""
    if axis is not None:
        array = array[(slice(None),) * axis + (kept,)]
    return np.ascontiguousarray(array[rows])
