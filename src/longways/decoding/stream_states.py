"""States of documents of a stream model in torch: rows of one table, which lies on the device.

B documents, N numbers of a state.

A document's state has dozens of small tensors. As rows of one table, the states of many documents
are gathered by one operation and stored by two. A row is never overwritten while somebody holds
it; it is free again when its `StoredState` is dropped, so a document that ends makes room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from weakref import finalize

import torch
from torch import Tensor

from longways.attention.state import CausalRFAState, GateState, RFAState
from longways.errors import LongwaysError
from longways.model.stream.state import DocumentState

FIRST_ROWS = 64
"""Rows of a new table; a full table doubles."""


class StoredState:
    """The state of one document: a row of a table."""

    def __init__(self, table: StateTable, row: int) -> None:
        self.table, self.row = table, row
        finalize(self, table.free.append, row)

    def size_bytes(self) -> int:
        """Bytes of the state."""
        return self.table.rows.shape[1] * self.table.rows.element_size()


class StateTable:
    """The states of all documents of one model."""

    def __init__(self, opened: DocumentState) -> None:
        """`opened` is the state before the first sentence of one document."""
        self.shapes = [[_shapes(layer) for layer in layers] for layers in opened.kinds]
        first = _flat(opened)
        self.rows = first.new_empty(FIRST_ROWS, first.shape[1])
        self.free = list(range(FIRST_ROWS))
        (self.opened,) = self.store(opened)

    def store(self, state: DocumentState) -> list[StoredState]:
        """Write the states of B documents into free rows."""
        flat = _flat(state)
        self._grow(len(flat))
        rows = [self.free.pop() for _ in range(len(flat))]
        self.rows.index_copy_(0, self._indices(rows), flat)
        return [StoredState(self, row) for row in rows]

    def gather(self, states: Sequence[StoredState]) -> DocumentState:
        """The states of some documents as one batch."""
        rows = self.rows.index_select(0, self._indices(state.row for state in states))
        parts = self._parts(rows)
        kinds = (
            tuple(_layer([next(parts) for _ in shapes]) for shapes in layers)
            for layers in self.shapes
        )
        return DocumentState(*kinds)

    def _parts(self, rows: Tensor) -> Iterator[Tensor]:
        """The tensors of all layers, cut out of rows (B, N)."""
        shapes = [shape for layers in self.shapes for layer in layers for shape in layer]
        sizes = [shape.numel() for shape in shapes]
        for part, shape in zip(rows.split(sizes, 1), shapes, strict=True):
            yield part.unflatten(1, shape)

    def _grow(self, needed: int) -> None:
        while len(self.free) < needed:
            size = len(self.rows)
            self.rows = torch.cat([self.rows, torch.empty_like(self.rows)])
            self.free.extend(range(size, 2 * size))

    def _indices(self, rows: Iterable[int]) -> Tensor:
        return torch.tensor(list(rows)).to(self.rows.device, non_blocking=True)


def join(states: Sequence[Any]) -> DocumentState:
    """The states of documents as one batch; all must be of the same model."""
    stored = [state for state in states if isinstance(state, StoredState)]
    if len(stored) < len(states) or len({id(state.table) for state in stored}) > 1:
        raise LongwaysError(
            "The state of a document is from another model. Open the document again with this one."
        )
    return stored[0].table.gather(stored)


def _tensors(layer: CausalRFAState) -> tuple[Tensor, ...]:
    return layer.sums.S, layer.sums.z, layer.gate.keep, layer.gate.write


def _shapes(layer: CausalRFAState) -> list[torch.Size]:
    return [tensor.shape[1:] for tensor in _tensors(layer)]


def _layer(parts: Sequence[Tensor]) -> CausalRFAState:
    S, z, keep, write = parts
    return CausalRFAState(RFAState(S, z), GateState(keep, write))


def _flat(state: DocumentState) -> Tensor:
    """(B, N): all numbers of the states."""
    layers = (layer for layers in state.kinds for layer in layers)
    return torch.cat([tensor.flatten(1) for layer in layers for tensor in _tensors(layer)], 1)
