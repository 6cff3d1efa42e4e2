"""A .npy file to which values are appended, so that an array can be larger than the memory."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray


class GrowingArray:
    """A one-dimensional .npy file that is written in chunks with constant memory.

    The header has room for a larger length, so it is rewritten when the file is closed.
    """

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._file = path.open("wb")
        self._write_header()

    def append(self, values: NDArray[np.generic] | list[int]) -> None:
        """Append values to the file."""
        chunk = np.asarray(values, dtype=self.dtype)
        self._file.write(chunk.tobytes())
        self.length += len(chunk)

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
