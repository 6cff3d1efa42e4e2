"""The output layer of an exported decoder for listed tokens only.

B windows, K beams, U tokens in any list of a batch, M tokens in the longest list, V target
vocabulary.

The rows of the output matrix are gathered once for a batch and are inputs of each step. Every
window chooses among its own tokens, so that its numbers do not depend on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.session import (
    DECODER_FILE,
    LISTED_DECODERS,
    LISTED_ROWS_FILE,
    UNSIGNED_DECODER_FILE,
    open_session,
    this_processor_saturates,
)
from longways.decoding.runtime import EXTRA_CANDIDATES, FORBIDDEN, Tokens

LISTED_MULTIPLE = 64
"""Lists are padded to a multiple of this number of tokens. ONNX Runtime sums a row in lanes, and
the lane of a token must not depend on the lists of other windows."""

MIN_SHARED_TOKENS = 512
"""The output layer has at least this number of columns: a float32 matmul with fewer sums in another
order."""

REGATHER = 2
"""Rows are gathered again when the number of windows has fallen by this factor."""

_SIGN = np.uint8(128)
"""The zero point of unsigned weights."""


class Listed(NamedTuple):
    """The output layer for the lists of a batch."""

    arrays: dict[str, NDArray[Any]]
    """Inputs of the step graph."""
    windows: int
    """The windows for whose lists rows were gathered; some of them may have been dropped."""


class ListedOutput:
    """The step graph of a model whose output layer has listed tokens only."""

    def __init__(self, folder: Path, decoder: str = DECODER_FILE, threads: int | None = 1) -> None:
        unsigned = folder / UNSIGNED_DECODER_FILE
        self._is_unsigned = unsigned.is_file() and this_processor_saturates()
        path = unsigned if self._is_unsigned else folder / LISTED_DECODERS[decoder]
        self.decoder = open_session(path, threads)
        self._rows = open_session(folder / LISTED_ROWS_FILE, 1)

    def gather(self, words: Sequence[Tokens], beams: int) -> Listed:
        """The inputs of all steps in which windows choose among these tokens, each ascending."""
        listed = np.zeros(max(one[-1] for one in words) + 1, bool)
        for own in words:
            listed[own] = True
        shared = np.flatnonzero(listed)
        columns = np.cumsum(listed, dtype=np.int32) - 1  # of each token
        least = beams + EXTRA_CANDIDATES + len(FORBIDDEN)
        width = _round_up(max(least, *map(len, words)))
        places = np.zeros((len(words), beams, width), np.int32)
        closed = np.full((len(words), 1, width), -np.inf, np.float32)
        for row, own in enumerate(words):
            places[row, :, : len(own)] = columns[own]
            closed[row, 0, : len(own)] = 0
        padded = np.zeros(max(MIN_SHARED_TOKENS, _round_up(len(shared))), np.int64)
        padded[: len(shared)] = shared
        arrays = self._output_rows(padded)
        arrays |= {"words": padded, "places": places, "closed": closed}
        return Listed(arrays, len(words))

    def select(self, listed: Listed, words: Sequence[Tokens], windows: Tokens) -> Listed:
        """The inputs for some windows, which choose among `words`.

        The rows of the other windows are dropped when most windows are: to gather rows takes as
        long as a few steps.
        """
        places = listed.arrays["places"]
        if len(windows) * REGATHER <= listed.windows:
            return self.gather(words, places.shape[1])
        own = {name: listed.arrays[name][windows] for name in ("places", "closed")}
        return Listed({**listed.arrays, **own}, listed.windows)

    def _output_rows(self, words: Tokens) -> dict[str, NDArray[Any]]:
        """The part of the output layer for these tokens."""
        rows = self._rows.run({"words": words})
        if not self._is_unsigned:
            return rows
        return {
            name: array.view(np.uint8) ^ _SIGN if array.dtype == np.int8 else array
            for name, array in rows.items()
        }


def _round_up(tokens: int) -> int:
    return -(-tokens // LISTED_MULTIPLE) * LISTED_MULTIPLE
