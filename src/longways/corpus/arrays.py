"""An array that grows on disk: a .npy file appended to, and mapped into memory when done."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray


class GrowingArray:
    """A one-dimensional .npy file, written piece by piece with constant memory.

    numpy leaves room in the header for the length to grow, so it is written again at the end.
    """

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._file = path.open("wb")
        self._write_header()

    def append(self, values: NDArray[np.generic] | list[int]) -> None:
        """Add values at the end."""
        piece = np.asarray(values, dtype=self.dtype)
        self._file.write(piece.tobytes())
        self.length += len(piece)

    def _write_header(self) -> None:
        header = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False}
        npy.write_array_header_1_0(self._file, header | {"shape": (self.length,)})

    def __enter__(self) -> GrowingArray:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.seek(0)
        self._write_header()
        self._file.close()
