"""The constants of several graphs, in one file that all of them read: none is stored twice."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import external_data_helper, numpy_helper

FEW_BYTES = 1024
"""What is smaller stays in the graph itself."""

_ALIGNMENT = 64


class Constants:
    """Arrays by their content, and the bytes of the large ones."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._places: dict[bytes, int] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def tensor(self, array: NDArray[Any], name: str) -> onnx.TensorProto:
        """A constant of a graph, which knows where its bytes are if it does not hold them."""
        tensor = numpy_helper.from_array(array, name)
        if array.nbytes >= FEW_BYTES:
            content = array.tobytes()
            offset, length = self._place(content), len(content)
            external_data_helper.set_external_data(tensor, self.file, offset, length)
            tensor.ClearField("raw_data")
        return tensor

    def to_bytes(self) -> bytes:
        """The file."""
        return b"".join(self._parts)

    def _place(self, content: bytes) -> int:
        digest = sha256(content).digest()
        if digest not in self._places:
            self._places[digest] = self._size
            filled = content + bytes(-len(content) % _ALIGNMENT)
            self._parts.append(filled)
            self._size += len(filled)
        return self._places[digest]


def digest(array: NDArray[Any]) -> tuple[str, tuple[int, ...], bytes]:
    """What two arrays have in common only if they are the same."""
    return np.dtype(array.dtype).str, array.shape, sha256(array.tobytes()).digest()
