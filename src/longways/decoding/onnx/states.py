"""The state of an exported decoder between two steps, and the rows of its beams.

B windows, K beams, R rows of the state.

A state is zeros before the first token. Reordering beams and dropping windows only update row
indices; rows are gathered when a step needs them. A state of fixed size is overwritten in place,
and its beams are assigned to other rows instead of being copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.beam_rows import DoubleBuffer, assign_rows, copy_rows, slice_axis
from longways.decoding.onnx.io_binding import PAST, Arrays, BoundDecoder, first_rows, round_up
from longways.decoding.onnx.listed import Listed
from longways.decoding.onnx.session import Session
from longways.decoding.runtime import Tokens
from longways.decoding.threads import ThreadPool

Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class OnnxMemory:
    """The outputs of the encoder for source windows."""

    arrays: Arrays
    lengths: Lengths  # (B,)  source tokens
    words: Sequence[Tokens] | None = field(default=None, kw_only=True)
    """The tokens that each window may choose among, ascending; None: all."""
    listed: Listed | None = field(default=None, kw_only=True)
    """The output layer for these tokens, once the search has started."""

    @cached_property
    def inputs(self) -> Arrays:
        """All inputs of a step that stay the same; always the same object."""
        return {**self.arrays, **(self.listed.arrays if self.listed else {})}


@dataclass(frozen=True)
class OnnxState:
    """The state of one search."""

    arrays: Arrays
    memory: OnnxMemory
    lengths: Lengths  # (B,)  target tokens read
    rows: Lengths  # (B, K)  the row of each beam in the arrays
    buffer: DoubleBuffer
    decoder: BoundDecoder


class OnnxStates:
    """Creates the states of one decoder and reorders their rows."""

    def __init__(self, decoder: Session, thread_pool: ThreadPool) -> None:
        self.decoder, self.thread_pool = decoder, thread_pool
        self.names = [name for name in decoder.inputs if name.startswith(PAST)]
        grows = any(decoder.axis(name, "read") is not None for name in self.names)
        self.is_in_place = bool(decoder.in_place) and not grows

    def initial(self, rows: int) -> dict[str, NDArray[Any]]:
        """The state before the first token."""
        sizes = {"rows": rows, "read": 0}
        return {name: np.zeros(self.decoder.shape(name, sizes), "f4") for name in self.names}

    def select(self, state: OnnxState, windows: Tokens) -> OnnxState:
        """The state and the memory of some windows; the others are dropped."""
        lengths = state.memory.lengths[windows]
        longest = slice(round_up(int(lengths.max())))
        arrays = {
            name: slice_axis(array, self.decoder.axis(name, "source"), longest)[windows]
            for name, array in state.memory.arrays.items()
        }
        words = state.memory.words
        chosen = None if words is None else [words[window] for window in windows.tolist()]
        return replace(
            state,
            memory=OnnxMemory(arrays, lengths, words=chosen),
            lengths=state.lengths[windows],
            rows=state.rows[windows],
        )

    def follow(self, state: OnnxState, rows: Lengths) -> tuple[Arrays, Lengths]:
        """State arrays in which the beams have these rows (B, K), and the places (B, K) of beams.

        The place of a beam is its row relative to the first row of its window.
        """
        parents, beams = rows - first_rows(rows), rows.shape[1]
        whole = len(state.arrays[self.names[0]]) == rows.size
        if self.is_in_place and whole and parents.min() >= 0 and parents.max() < beams:
            return state.arrays, self._reassign(state, parents)
        places = np.tile(np.arange(beams), (len(rows), 1))
        if whole and np.array_equal(parents, places):
            return state.arrays, places
        return self._gather(state, rows), places

    def _reassign(self, state: OnnxState, parents: Lengths) -> Lengths:
        """Places (B, K) for the beams; only further children of a parent are copied."""
        if parents.shape[1] == 1:
            return parents  # a single beam keeps its row
        beam_rows = assign_rows(parents)
        if len(beam_rows.sources):
            arrays = [*state.arrays.values()]
            copy_rows(arrays, beam_rows.sources, beam_rows.targets, self.thread_pool)
        return beam_rows.places

    def _gather(self, state: OnnxState, rows: Lengths) -> Arrays:
        """The arrays with these rows."""
        last = self._read_tokens(state)
        return {
            name: state.buffer.gather(
                name, slice_axis(array, self.decoder.axis(name, "read"), last), rows.ravel()
            )
            for name, array in state.arrays.items()
        }

    def _read_tokens(self, state: OnnxState) -> slice:
        """The tokens that any row has read, without the left padding that all rows share."""
        longest = int(state.lengths.max())
        return slice(-longest, None) if longest else slice(0)
