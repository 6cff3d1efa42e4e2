"""The decoder graph bound to the arrays of one search, so that a step copies no large array.

B windows, K beams, C candidates, R = B K rows of the state.

A graph lists the state arrays that it no longer reads once it writes them; these are overwritten in
place. It also lists the caches to which the caller appends the new tokens. The other state arrays
are small and are copied back after each step. The input arrays of the
graphs are made here from the arrays of search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.session import Session
from longways.decoding.runtime import Tokens

Arrays = Mapping[str, NDArray[Any]]

PAST, NEW = "past.", "new."
"""Prefixes of the names of state arrays: inputs, outputs."""

_MAX_BINDINGS = 2
"""Bindings kept for a search, as its state alternates between two buffers."""


class BoundDecoder:
    """Caches ONNX Runtime I/O bindings of one search, one per state buffer."""

    def __init__(self, decoder: Session) -> None:
        self._decoder = decoder
        self._bindings: list[_Binding] = []
        self.added: Arrays = {}
        """The new tokens of the last step, for the caches to which they are appended."""

    def step(
        self, inputs: Arrays, memory: Arrays, state: Arrays
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Read tokens (B, K) and return scores and ids (B, K, C); the state is overwritten."""
        bindings = (one for one in self._bindings if one.fits(inputs, memory, state))
        binding = next(bindings, None)
        if binding is None:
            binding = _Binding(self._decoder, inputs, memory, state)
            self._bindings = [binding, *self._bindings][:_MAX_BINDINGS]
        self.added = binding.added
        return binding.run(inputs)


class _Binding:
    """The decoder bound to fixed input, memory and state arrays."""

    def __init__(self, decoder: Session, inputs: Arrays, memory: Arrays, state: Arrays) -> None:
        self._memory, self._state = memory, state
        self._inputs = {name: array.copy() for name, array in inputs.items()}
        self._copied = {
            name: np.empty_like(array)
            for name, array in state.items()
            if name.removeprefix(PAST) not in decoder.in_place | decoder.appended
        }
        self._candidates = _candidates(inputs)
        self.added = _added(decoder, state)
        written = {
            as_new(name): array
            for name, array in {**state, **self._copied, **self.added}.items()
            if as_new(name) in decoder.outputs
        }
        self._run: Callable[[], None] = decoder.bind(
            {**self._inputs, **memory, **state}, {**self._candidates, **written}
        )

    def fits(self, inputs: Arrays, memory: Arrays, state: Arrays) -> bool:
        """Whether memory and state are the bound arrays, and the inputs have the bound shapes."""
        return (
            memory is self._memory
            and (state is self._state or _same_buffer(state, self._state))
            and all(array.shape == self._inputs[name].shape for name, array in inputs.items())
            and int(inputs["candidates"][0]) == self._candidates["ids"].shape[2]
        )

    def run(self, inputs: Arrays) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Take a step with these inputs."""
        for name, array in inputs.items():
            self._inputs[name][...] = array
        self._run()
        for name, array in self._copied.items():
            self._state[name][...] = array
        return self._candidates["scores"].copy(), self._candidates["ids"].copy()


def _candidates(inputs: Arrays) -> dict[str, NDArray[Any]]:
    shape = (*inputs["tokens"].shape, int(inputs["candidates"][0]))
    return {"scores": np.empty(shape, dtype=np.float32), "ids": np.empty(shape, dtype=np.int64)}


def _added(decoder: Session, state: Arrays) -> dict[str, NDArray[Any]]:
    """Buffers (R, 1, H E) for the new tokens of the caches (R, H, N, E) that a graph appends to."""
    names = [name for name in state if name.removeprefix(PAST) in decoder.appended]
    caches = {name: state[name].shape for name in names if as_new(name) in decoder.outputs}
    return {
        name: np.empty((rows, 1, heads * size), dtype=np.float32)
        for name, (rows, heads, _, size) in caches.items()
    }


def as_new(name: str) -> str:
    """The output that replaces a state array."""
    return NEW + name.removeprefix(PAST)


def _same_buffer(one: Arrays, other: Arrays) -> bool:
    """Whether two states are in the same memory; if their first arrays are, all of them are."""
    first = next(iter(one))
    a, b = one[first], other[first]
    return a.shape == b.shape and a.ctypes.data == b.ctypes.data


Lengths = NDArray[np.int64]

SOURCE_MULTIPLE = 4
"""Source windows are padded to a multiple of this number of tokens. ONNX Runtime sums remaining
tokens in another order, so that the numbers of a window would depend on its batch."""


def by_row(tokens: Tokens, places: Tokens) -> Tokens:
    """Tokens (B, K) of beams in the order of their rows; `places` are the rows of the beams."""
    if tokens.shape[1] == 1:
        return tokens
    ordered = np.empty_like(tokens)
    ordered[window_indices(tokens), places] = tokens
    return ordered


def window_indices(beams: Tokens) -> Lengths:
    """(B, 1): the index of each window, for an array whose first axis is B."""
    return np.arange(len(beams))[:, None]


def first_rows(rows: Lengths) -> Lengths:
    """(B, 1): the first row of each window, for rows (B, K)."""
    windows, beams = rows.shape
    return np.arange(0, windows * beams, beams)[:, None]


def repeat_per_beam(values: Lengths, beams: int) -> Lengths:
    """(B, K): the value of each window (B,), repeated for all of its beams."""
    return values[:, None] if beams == 1 else np.repeat(values[:, None], beams, axis=1)


def candidate_inputs(first: int, candidates: int) -> dict[str, Tokens]:
    """The first token after which candidates are returned, and the number of candidates."""
    return {"first": np.array([first]), "candidates": np.array([candidates])}


def no_scored_tokens(windows: int, tokens: int) -> Tokens:
    """The input `wanted` of a graph where no given tokens are scored."""
    return np.zeros((windows, tokens, 0), dtype=np.int64)


def pad_left(tokens: Tokens, lengths: Lengths, pad: int) -> dict[str, Tokens]:
    """Tokens (B, T) padded on the left instead of the right, and positions; padding has 0."""
    places = np.arange(tokens.shape[1]) - (tokens.shape[1] - lengths)[:, None]
    positions = np.maximum(places, 0)
    moved = np.take_along_axis(tokens, positions, 1)
    return {"tokens": np.where(places < 0, pad, moved), "positions": positions}


def shift_right(target: Tokens, bos: int) -> dict[str, Tokens]:
    """Decoder inputs for target windows (B, T): `<bos>` and all tokens but the last, positions."""
    tokens = np.roll(target, 1, axis=1)
    tokens[:, :1] = bos
    return {"tokens": tokens, "positions": np.tile(np.arange(target.shape[1]), (len(target), 1))}


def pad_source(windows: Tokens, positions: int, pad: int) -> Tokens:
    """Source windows padded to a multiple of `SOURCE_MULTIPLE`, or to the number of positions."""
    width = windows.shape[1]
    more = min(round_up(width), positions) - width
    return np.pad(windows, ((0, 0), (0, more)), constant_values=pad)


def round_up(tokens: int) -> int:
    """The smallest multiple of `SOURCE_MULTIPLE` that is at least `tokens`."""
    return -(-tokens // SOURCE_MULTIPLE) * SOURCE_MULTIPLE
