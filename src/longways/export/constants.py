"""The constants of several graphs in one external file, in which each array is stored once."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import external_data_helper, numpy_helper

EXTERNAL_MIN_BYTES = 1024
"""Smaller arrays are stored in the graph itself."""

_ALIGNMENT_BYTES = 64


class Constants:
    """The external file of large arrays, addressed by their content."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._offsets: dict[bytes, int] = {}
        self._chunks: list[bytes] = []
        self._size = 0

    def tensor(self, array: NDArray[Any], name: str) -> onnx.TensorProto:
        """A constant of a graph; a large one refers to its bytes in the external file."""
        tensor = numpy_helper.from_array(array, name)
        if array.nbytes >= EXTERNAL_MIN_BYTES:
            content = array.tobytes()
            offset, length = self._offset(content), len(content)
            external_data_helper.set_external_data(tensor, self.file, offset, length)
            tensor.ClearField("raw_data")
        return tensor

    def to_bytes(self) -> bytes:
        """The content of the external file."""
        return b"".join(self._chunks)

    def _offset(self, content: bytes) -> int:
        """The offset of these bytes in the file, to which they are added if they are new."""
        digest = sha256(content).digest()
        if digest not in self._offsets:
            self._offsets[digest] = self._size
            padded = content + bytes(-len(content) % _ALIGNMENT_BYTES)
            self._chunks.append(padded)
            self._size += len(padded)
        return self._offsets[digest]


def digest(array: NDArray[Any]) -> tuple[str, tuple[int, ...], bytes]:
    """A key of an array: type, shape and hash of its bytes."""
    return np.dtype(array.dtype).str, array.shape, sha256(array.tobytes()).digest()
