"""What a document carries from sentence to sentence in an exported stream model.

B documents, N source tokens, T target tokens.

A state holds the sums and gates of all document heads; its size does not depend on the document.
Beside it lies the sentence that was last encoded after it, so that a sentence is encoded once:
search reads its memory, and then its translation is read with the same memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.io_binding import Arrays
from longways.decoding.onnx.states import OnnxMemory
from longways.errors import LongwaysError


class EncodedSentence(NamedTuple):
    """A sentence of one document: its memory, and what it leaves to the next one."""

    tokens: list[int]
    """s <sep>."""
    memory: Arrays  # (1, ...)
    after: Arrays  # (1, ...)  the source state


@dataclass
class OnnxDocument:
    """The state of one document. Only `encoded` is ever replaced."""

    model: str
    """The identity of the model that made the state."""
    source: Arrays  # (1, ...)  sums and gates of encoder and cross attention
    target: Arrays  # (1, ...)  sums and gates of causal attention
    encoded: EncodedSentence | None = None
    """The sentence that was last encoded after this state."""

    def size_bytes(self) -> int:
        """Bytes of the state."""
        return sum(array.nbytes for side in (self.source, self.target) for array in side.values())

    def after(self, target: Arrays, *, same_source: bool = False) -> OnnxDocument:
        """The state after the encoded sentence and a translation that leaves `target`.

        With `same_source`, the next translation reads the same source sentence once more.
        """
        assert self.encoded, "the sentence is not encoded"
        if same_source:
            return OnnxDocument(self.model, self.source, target, self.encoded)
        return OnnxDocument(self.model, self.encoded.after, target)


@dataclass(frozen=True)
class SentenceMemory(OnnxMemory):
    """The memory of one sentence of each document, and the target states before it."""

    target: Arrays  # (B, ...)


def check_documents(states: Sequence[Any], model: str, sentences: int) -> None:
    """Raise unless the states are of this model, one for each sentence."""
    if len(states) != sentences:
        raise LongwaysError(
            f"There are {sentences} sentences, but states of {len(states)} documents; give one "
            "state for each sentence."
        )
    for state in states:
        if not isinstance(state, OnnxDocument) or state.model != model:
            raise LongwaysError(
                "The state of a document is from another model, or from another export of this "
                "one. Open the document again with this model."
            )


def join_rows(states: Iterable[Arrays], source_axes: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """The arrays of several documents as one batch; keys and values are padded at the end.

    `source_axes` has the axis of source tokens of the arrays that have one.
    """
    rows = list(states)
    if len(rows) == 1:
        return dict(rows[0])
    return {
        name: _concatenate([row[name] for row in rows], source_axes.get(name)) for name in rows[0]
    }


def split_rows(arrays: Arrays, documents: int) -> list[Arrays]:
    """The arrays of each document, in memory of its own."""
    if documents == 1:
        return [arrays]
    return [
        {name: array[row : row + 1].copy() for name, array in arrays.items()}
        for row in range(documents)
    ]


def _concatenate(parts: list[NDArray[Any]], axis: int | None) -> NDArray[Any]:
    if axis is None or len({part.shape[axis] for part in parts}) == 1:
        return np.concatenate(parts)
    shape = list(parts[0].shape)
    shape[0], shape[axis] = len(parts), max(part.shape[axis] for part in parts)
    joined = np.zeros(shape, parts[0].dtype)
    for row, part in zip(joined, parts, strict=True):
        row[(slice(None),) * (axis - 1) + (slice(part.shape[axis]),)] = part[0]
    return joined
