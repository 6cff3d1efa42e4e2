"""Rows of arrays moved without asking the system for memory every time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DoubleBuffer:
    """Copies rows into buffers of its own, two for each name in turns.

    What a large new array costs is not the copying: the system clears its pages first, which takes
    five times as long. So buffers are used again. What was moved under a name stays until it has
    been moved on under it twice.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, list[NDArray[Any]]] = {}

    def move(self, name: str, array: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        """The rows of the array in this order, never where the array itself is."""
        shape = (len(rows), *array.shape[1:])
        room = self._room(name, array, math.prod(shape)).reshape(shape)
        # Rows are known to exist; with the default mode numpy would copy twice.
        return np.take(array, rows, axis=0, out=room, mode="clip")

    def _room(self, name: str, array: NDArray[Any], size: int) -> NDArray[Any]:
        buffers = self._buffers.setdefault(name, [np.empty(0, dtype=array.dtype)] * 2)
        turn = int(np.may_share_memory(buffers[0], array))
        if len(buffers[turn]) < size:
            buffers[turn] = np.empty(size + size // 2, dtype=array.dtype)
        return buffers[turn][:size]


def kept_part(array: NDArray[Any], axis: int | None, kept: slice) -> NDArray[Any]:
    """A part of one axis, or everything where there is no such axis."""
    return array if axis is None else array[(slice(None),) * axis + (kept,)]
