"""KV caches of the sentence that is searched, with room for more tokens than were read.

R rows, H sentence heads, N tokens of room, T tokens that are appended, E head size.

The graph of a stream model returns the keys and values of new tokens alone. They are written into
the caches here, so that a step copies no cache. Room grows with the number of tokens read, which
all rows of a search share; so a sentence has the same numbers alone and beside others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.io_binding import PAST, Arrays, BoundDecoder
from longways.decoding.onnx.session import Session
from longways.decoding.onnx.states import OnnxState, OnnxStates

ROOM = 16
"""The tokens for which a cache has room at first; the room doubles whenever it is full."""

PADDING = f"{PAST}padding"
"""The array (R, N) that is 1 where a cache has no token."""


class SentenceDecoder(BoundDecoder):
    """The bound decoder of one search, and the number of tokens in its caches."""

    def __init__(self, decoder: Session, used: int) -> None:
        super().__init__(decoder)
        self.used = used
        """The tokens in the caches, padding included; the same for all rows."""


class SentenceStates(OnnxStates):
    """States whose sums are overwritten in place, and whose caches are appended to."""

    def __init__(self, decoder: Session, *arguments: Any) -> None:
        super().__init__(decoder, *arguments)
        self.is_in_place = True
        self.caches = [name for name in self.names if decoder.axis(name, "read") is not None]

    def with_room(self, rows: int, tokens: int) -> dict[str, NDArray[Any]]:
        """Empty caches with room for a number of tokens."""
        sizes = {"rows": rows, "read": _room(tokens)}
        empty = {name: np.zeros(self.decoder.shape(name, sizes), "f4") for name in self.caches}
        empty[PADDING][...] = 1
        return empty

    def extended(self, arrays: Arrays, used: int) -> Arrays:
        """Arrays with room for one more token: the same ones, unless the caches are full."""
        rows, room = arrays[PADDING].shape
        if used < room:
            return arrays
        larger = self.with_room(rows, room + 1)
        for name, array in larger.items():
            self._along(array, name, slice(room))[...] = arrays[name]
        return {**arrays, **larger}

    def append(self, arrays: Arrays, added: Arrays, used: int) -> None:
        """Write the keys and values (R, 1, H E) of one token into the caches."""
        for name, array in added.items():
            cache = arrays[name]
            rows, heads, _, size = cache.shape
            cache[:, :, used] = array.reshape(rows, heads, size)
        arrays[PADDING][:, used] = 0

    def fill(self, arrays: Arrays, added: Arrays, padding: NDArray[np.bool_]) -> None:
        """Write the keys and values (R, T, H E) of the first tokens, of which some are padding."""
        rows, tokens = padding.shape
        for name, array in added.items():
            _, heads, _, size = arrays[name].shape
            by_head = array.reshape(rows, tokens, heads, size).swapaxes(1, 2)
            arrays[name][:, :, :tokens] = by_head
        arrays[PADDING][:, :tokens] = padding

    def _along(self, array: NDArray[Any], name: str, tokens: slice) -> NDArray[Any]:
        axis = self.decoder.axis(name, "read")
        assert axis is not None
        return array[(slice(None),) * axis + (tokens,)]

    def _read_tokens(self, state: OnnxState) -> slice:
        return slice(None)


def _room(tokens: int) -> int:
    """The room for a number of tokens: 16, 32, 64, ..."""
    room = ROOM
    while room < tokens:
        room *= 2
    return room
