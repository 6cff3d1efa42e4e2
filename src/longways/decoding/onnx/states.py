"""What an exported decoder knows between two steps, and where its rows are.

B windows, K beams, R rows of the state.

A state is zeros before the first token. Rows are moved when a step needs them elsewhere: until
then, whoever follows beams or forgets windows only notes where they are. A state of fixed size is
overwritten by a step, and its beams change rows rather than contents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.beam_rows import assign_rows, copy_rows
from longways.decoding.onnx.buffers import DoubleBuffer, kept_part
from longways.decoding.onnx.inputs import first_rows, whole_strides
from longways.decoding.onnx.io_binding import PAST, Arrays, BoundDecoder
from longways.decoding.onnx.session import Session
from longways.decoding.runtime import Tokens
from longways.decoding.threads import ThreadPool

Lengths = NDArray[np.int64]


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
    mover: DoubleBuffer
    stepping: BoundDecoder


class OnnxStates:
    """How the states of one decoder are made, and how their rows follow the beams."""

    def __init__(self, decoder: Session, crew: ThreadPool) -> None:
        self.decoder, self.crew = decoder, crew
        self.names = [name for name in decoder.inputs if name.startswith(PAST)]
        grows = any(decoder.axis(name, "read") is not None for name in self.names)
        self.stays = bool(decoder.in_place) and not grows

    def nothing(self, rows: int) -> dict[str, NDArray[Any]]:
        """The state before the first token."""
        sizes = {"rows": rows, "read": 0}
        return {name: np.zeros(self.decoder.shape(name, sizes), "f4") for name in self.names}

    def select(self, state: OnnxState, windows: Tokens) -> OnnxState:
        """The state and the memory of some windows, the others forgotten."""
        lengths = state.memory.lengths[windows]
        longest = slice(whole_strides(int(lengths.max())))
        arrays = {
            name: kept_part(array, self.decoder.axis(name, "source"), longest)[windows]
            for name, array in state.memory.arrays.items()
        }
        return replace(
            state,
            memory=OnnxMemory(arrays, lengths),
            lengths=state.lengths[windows],
            rows=state.rows[windows],
        )

    def follow(self, state: OnnxState, rows: Lengths) -> tuple[Arrays, Lengths]:
        """The state with these rows (B, K), and the places (B, K) of beams in their windows."""
        parents, beams = rows - first_rows(rows), rows.shape[1]
        whole = len(state.arrays[self.names[0]]) == rows.size
        if self.stays and whole and parents.min() >= 0 and parents.max() < beams:
            return state.arrays, self._seat(state, parents)
        places = np.tile(np.arange(beams), (len(rows), 1))
        if whole and np.array_equal(parents, places):
            return state.arrays, places
        return self._move(state, rows), places

    def _seat(self, state: OnnxState, parents: Lengths) -> Lengths:
        """Places (B, K) for the beams; only the second child of a parent is copied."""
        if parents.shape[1] == 1:
            return parents  # it stays where it is
        seats = assign_rows(parents)
        if len(seats.sources):
            copy_rows([*state.arrays.values()], seats.sources, seats.targets, self.crew)
        return seats.places

    def _move(self, state: OnnxState, rows: Lengths) -> Arrays:
        """All rows, without the padding at the start that all of them have."""
        longest = int(state.lengths.max())
        last = slice(-longest, None) if longest else slice(0)
        return {
            name: state.mover.move(
                name, kept_part(array, self.decoder.axis(name, "read"), last), rows.ravel()
            )
            for name, array in state.arrays.items()
        }
