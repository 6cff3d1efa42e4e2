"""Where the beams of a window sit: as few of its rows as possible are copied.

B windows, K beams, R = B K rows of a state; the rows of a window stand side by side.

When beams follow their parents, most parents have one child, and it simply takes their row. Only
the second child of a parent needs a copy, in a row whose beam has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.threads import ThreadPool, shares

Rows = NDArray[np.int64]

LARGE = 16_384
"""Bytes of a row from which on rows are copied one by one, each straight to its place."""

FEW = 5
"""Beams up to which seats are looked up."""

MUCH = 2 * 2**20
"""Bytes that are worth another thread."""


class BeamRows(NamedTuple):
    """The rows that beams take, and what must be copied for that."""

    places: Rows  # (B, K)  of each beam, counted from the first row of its window
    sources: Rows  # (M,)  rows of the state to be copied
    targets: Rows  # (M,)  and to where; none of them is a source


def assign_rows(parents: Rows) -> BeamRows:
    """BeamRows for beams that go on after the parents (B, K), places in their windows."""
    windows, beams = parents.shape
    if beams <= FEW:
        places, late = (table[parents @ beams ** np.arange(beams)] for table in _all_seats(beams))
    else:
        places, late = _seats(parents)
    first = np.arange(0, windows * beams, beams)[:, None]
    return BeamRows(places, (first + parents)[late], (first + places)[late])


def _seats(parents: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The places of beams (B, K), and which of them need a copy."""
    own = np.arange(parents.shape[1])
    same = parents[:, :, None] == parents[:, None, :]
    late = same.argmax(2) != own  # (B, K)  another child has the parent's row already
    taken = (parents[:, :, None] == own).any(1)
    free = taken.argsort(1, kind="stable")  # (B, K)  those that nobody takes come first
    windows = np.arange(len(parents))[:, None]
    return np.where(late, free[windows, late.cumsum(1) - 1], parents), late


@cache
def _all_seats(beams: int) -> tuple[Rows, NDArray[np.bool_]]:
    """What `_seats` says of all K^K parents that there can be, the first counting least."""
    numbers = np.arange(beams**beams)[:, None]
    return _seats(numbers // beams ** np.arange(beams) % beams)


def copy_rows(
    arrays: Sequence[NDArray[Any]], sources: Rows, targets: Rows, crew: ThreadPool
) -> None:
    """Copy rows inside of arrays; no target may be a source.

    The whole crew helps with much: one thread does not keep memory busy.
    """
    much = len(sources) * sum(array[0].nbytes for array in arrays) >= crew.threads * MUCH
    parts = shares(len(sources), crew.threads if much else 1)
    crew.run([partial(_copy, arrays, sources[part], targets[part]) for part in parts])


def _copy(arrays: Sequence[NDArray[Any]], sources: Rows, targets: Rows) -> None:
    pairs = list(zip(sources.tolist(), targets.tolist(), strict=True))
    for array in arrays:
        if pairs and array[0].nbytes < LARGE:
            array[targets] = array[sources]
            continue
        for source, target in pairs:
            array[target] = array[source]
