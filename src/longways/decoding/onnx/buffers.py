"""Buffers for gathered rows, reused so that no step allocates large arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DoubleBuffer:
    """Gathers rows of arrays into two alternating buffers for each name.

    Allocating a large array costs five times as much as the copy, because the system clears its
    pages first. So buffers are reused: a gathered array is valid until the second `gather` of the
    same name after it.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, list[NDArray[Any]]] = {}

    def gather(self, name: str, array: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
        """The rows of the array in this order; the result never overlaps the array."""
        shape = (len(rows), *array.shape[1:])
        buffer = self._buffer(name, array, math.prod(shape)).reshape(shape)
        # All rows exist; in its default mode numpy would copy twice.
        return np.take(array, rows, axis=0, out=buffer, mode="clip")

    def _buffer(self, name: str, array: NDArray[Any], size: int) -> NDArray[Any]:
        """The buffer of this name in which the array does not lie."""
        buffers = self._buffers.setdefault(name, [np.empty(0, dtype=array.dtype)] * 2)
        which = int(np.may_share_memory(buffers[0], array))
        if len(buffers[which]) < size:
            buffers[which] = np.empty(size + size // 2, dtype=array.dtype)
        return buffers[which][:size]


def slice_axis(array: NDArray[Any], axis: int | None, kept: slice) -> NDArray[Any]:
    """A slice along one axis, or the whole array if the axis is None."""
    return array if axis is None else array[(slice(None),) * axis + (kept,)]
