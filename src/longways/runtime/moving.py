"""Rows of arrays moved without asking the system for memory every time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Mover:
    """Copies rows into buffers of its own, one for each name.

    What a large new array costs is not the copying: the system clears its pages first, which takes
    five times as long. So a buffer is used again, and what was moved under a name is overwritten by
    the next move under it.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[Any]] = {}

    def move(self, name: str, array: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        """The rows of the array in this order."""
        shape = (len(rows), *array.shape[1:])
        room = self._room(name, math.prod(shape), array.dtype).reshape(shape)
        # Rows are known to exist; with the default mode numpy would copy twice.
        return np.take(array, rows, axis=0, out=room, mode="clip")

    def _room(self, name: str, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        buffer = self._buffers.get(name)
        if buffer is None or len(buffer) < size:
            buffer = self._buffers[name] = np.empty(size + size // 2, dtype=dtype)
        return buffer[:size]


def kept_part(array: NDArray[Any], axis: int | None, kept: slice) -> NDArray[Any]:
    """A part of one axis, or everything where there is no such axis."""
    return array if axis is None else array[(slice(None),) * axis + (kept,)]
