"""Rows of a state reassigned to beams, with as few row copies as possible.

B windows, K beams, R = B K rows of a state; the rows of a window are adjacent.

Most parents have one child, which takes the row of its parent without a copy. Only further children
of a parent need a copy, in a row whose beam has no child. Buffers for gathered rows are reused, so
that no step allocates large arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.threads import ThreadPool, even_slices

Rows = NDArray[np.int64]

SINGLE_COPY_MIN_BYTES = 16_384
"""Rows of at least this size are copied one by one, without a temporary array."""

LOOKUP_MAX_BEAMS = 5
"""Up to this number of beams, row assignments are looked up in a table of all K^K cases."""

PARALLEL_COPY_BYTES = 2 * 2**20
"""Copies are parallel only if every thread of the pool copies at least this number of bytes."""


class BeamRows(NamedTuple):
    """The row of each beam, and the row copies that this assignment needs."""

    places: Rows  # (B, K)  the row of each beam, relative to the first row of its window
    sources: Rows  # (M,)  rows of the state to copy from
    targets: Rows  # (M,)  rows of the state to copy to; none of them is a source


def assign_rows(parents: Rows) -> BeamRows:
    """Assign rows to beams that continue the parents (B, K), which are beams of their windows."""
    windows, beams = parents.shape
    if beams <= LOOKUP_MAX_BEAMS:
        places, copied = (table[parents @ beams ** np.arange(beams)] for table in _tables(beams))
    else:
        places, copied = _assign(parents)
    first = np.arange(0, windows * beams, beams)[:, None]
    return BeamRows(places, (first + parents)[copied], (first + places)[copied])


def _assign(parents: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The places of beams (B, K), and which of them need a copy."""
    own = np.arange(parents.shape[1])
    same = parents[:, :, None] == parents[:, None, :]
    copied = same.argmax(2) != own  # (B, K)  an earlier child has taken the parent's row
    taken = (parents[:, :, None] == own).any(1)
    free = taken.argsort(1, kind="stable")  # (B, K)  free rows come first
    windows = np.arange(len(parents))[:, None]
    return np.where(copied, free[windows, copied.cumsum(1) - 1], parents), copied


@cache
def _tables(beams: int) -> tuple[Rows, NDArray[np.bool_]]:
    """The results of `_assign` for all K^K parents; the first beam is the lowest digit."""
    numbers = np.arange(beams**beams)[:, None]
    return _assign(numbers // beams ** np.arange(beams) % beams)


def copy_rows(
    arrays: Sequence[NDArray[Any]], sources: Rows, targets: Rows, thread_pool: ThreadPool
) -> None:
    """Copy rows inside arrays; no target may be a source.

    Large copies use all threads, since one thread does not use the full memory bandwidth.
    """
    threads, row_bytes = thread_pool.threads, sum(array[0].nbytes for array in arrays)
    is_large = len(sources) * row_bytes >= threads * PARALLEL_COPY_BYTES
    shares = even_slices(len(sources), threads if is_large else 1)
    thread_pool.run([partial(_copy, arrays, sources[share], targets[share]) for share in shares])


def _copy(arrays: Sequence[NDArray[Any]], sources: Rows, targets: Rows) -> None:
    pairs = list(zip(sources.tolist(), targets.tolist(), strict=True))
    for array in arrays:
        if pairs and array[0].nbytes < SINGLE_COPY_MIN_BYTES:
            array[targets] = array[sources]
            continue
        for source, target in pairs:
            array[target] = array[source]


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
