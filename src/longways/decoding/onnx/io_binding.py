"""The steps of one search, read and written where its state is: nothing large is copied or made.

B windows, K beams, C candidates, R = B K rows of the state.

A graph names the parts of its state that it reads no more once it has written them: these are
overwritten in place. The others are small, and are copied back after each step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.session import Session

Arrays = Mapping[str, NDArray[Any]]

PAST, NEW = "past.", "new."
"""What the names of the state begin with, going in and coming out."""

_KEPT = 2
"""Places that a search goes back and forth between: its rows are moved from one to the other."""


class BoundDecoder:
    """One search's ways to run the decoder, each for a place where its state has been."""

    def __init__(self, decoder: Session) -> None:
        self._decoder = decoder
        self._ways: list[_Binding] = []

    def step(
        self, read: Arrays, memory: Arrays, state: Arrays
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Read tokens (B, K) into the state, which changes; scores and ids (B, K, C) come back."""
        way = next((way for way in self._ways if way.fits(read, memory, state)), None)
        if way is None:
            way = _Binding(self._decoder, read, memory, state)
            self._ways = [way, *self._ways][:_KEPT]
        return way.run(read)


class _Binding:
    """The decoder bound to arrays: it finds all it reads there, and leaves there what it finds."""

    def __init__(self, decoder: Session, read: Arrays, memory: Arrays, state: Arrays) -> None:
        self._memory, self._state = memory, state
        self._read = {name: array.copy() for name, array in read.items()}
        self._copied = {
            name: np.empty_like(array)
            for name, array in state.items()
            if name.removeprefix(PAST) not in decoder.in_place
        }
        self._found = _candidates(read)
        written = {_as_new(name): array for name, array in {**state, **self._copied}.items()}
        self._run: Callable[[], None] = decoder.bind(
            {**self._read, **memory, **state}, {**self._found, **written}
        )

    def fits(self, read: Arrays, memory: Arrays, state: Arrays) -> bool:
        """Whether all arrays are where this way has them, and as large."""
        return (
            memory is self._memory
            and (state is self._state or _same_place(state, self._state))
            and all(array.shape == self._read[name].shape for name, array in read.items())
            and int(read["candidates"][0]) == self._found["ids"].shape[2]
        )

    def run(self, read: Arrays) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """A step from what is read now."""
        for name, array in read.items():
            self._read[name][...] = array
        self._run()
        for name, array in self._copied.items():
            self._state[name][...] = array
        return self._found["scores"].copy(), self._found["ids"].copy()


def _candidates(read: Arrays) -> dict[str, NDArray[Any]]:
    shape = (*read["tokens"].shape, int(read["candidates"][0]))
    return {"scores": np.empty(shape, dtype=np.float32), "ids": np.empty(shape, dtype=np.int64)}


def _as_new(name: str) -> str:
    return NEW + name.removeprefix(PAST)


def _same_place(one: Arrays, other: Arrays) -> bool:
    """Whether two states are in the same memory: all their parts are if the first is."""
    first = next(iter(one))
    a, b = one[first], other[first]
    return a.shape == b.shape and a.ctypes.data == b.ctypes.data
