"""Which tokens led to a beam: the words and parents of every step, followed back when it has ended.

W windows, K beams, T steps.

Nothing is moved when beams change their places, so a step costs the same however many came before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]

FIRST = 64
"""Steps that there is room for at first; it doubles whenever it is full."""


class Backpointers:
    """Every step of the search of some windows."""

    def __init__(self, windows: int, beams: int) -> None:
        self._steps = np.empty((2, windows, FIRST, beams), dtype=np.int32)  # words, parents

    def write(self, windows: Numbers, step: int, words: Numbers, parents: Numbers) -> None:
        """What the beams (B, K) of some windows (B,) read in a step, and after which beam."""
        if step == self._steps.shape[2]:
            self._steps = np.concatenate([self._steps, np.empty_like(self._steps)], 2)
        self._steps[0, windows, step], self._steps[1, windows, step] = words, parents

    def tokens(self, window: int, step: int, beam: int) -> list[int]:
        """The tokens of a beam as a step found it."""
        words, parents = self._steps[:, window, :step]
        return walk_back(words, parents, beam)


def walk_back(words: Numbers, parents: Numbers, beam: int) -> list[int]:
    """The tokens of a beam after the last step of words and parents (T, K)."""
    steps, beams = words.shape
    if beams == 1:
        only: list[int] = words[:, 0].tolist()
        return only
    tokens, (read, after) = [0] * steps, (plane.ravel().tolist() for plane in (words, parents))
    for step in range(steps - 1, -1, -1):
        at = beams * step + beam
        tokens[step], beam = read[at], after[at]
    return tokens
