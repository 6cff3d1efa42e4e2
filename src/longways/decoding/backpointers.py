"""Back-pointers of beam search: the tokens of a beam are read back from it, parent by parent.

W windows, K beams, T steps.

A step only appends tokens and parents. Nothing is copied when beams are reordered, so the cost of
a step does not depend on the number of steps before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]

INITIAL_STEPS = 64
"""The initial capacity in steps; it doubles whenever it is full."""


class Backpointers:
    """The tokens and parents of every beam at every step."""

    def __init__(self, windows: int, beams: int) -> None:
        self._steps = np.empty((2, windows, INITIAL_STEPS, beams), dtype=np.int32)

    def write(self, windows: Numbers, step: int, tokens: Numbers, parents: Numbers) -> None:
        """Store the tokens and parents (B, K) of one step for some windows (B,)."""
        if step == self._steps.shape[2]:
            self._steps = np.concatenate([self._steps, np.empty_like(self._steps)], 2)
        self._steps[0, windows, step], self._steps[1, windows, step] = tokens, parents

    def tokens(self, window: int, step: int, beam: int) -> list[int]:
        """The tokens of a beam as it was before a step."""
        tokens, parents = self._steps[:, window, :step]
        return walk_back(tokens, parents, beam)


def walk_back(tokens: Numbers, parents: Numbers, beam: int) -> list[int]:
    """The tokens of a beam after the last step, from the tokens and parents (T, K) of all steps."""
    steps, beams = tokens.shape
    if beams == 1:
        only: list[int] = tokens[:, 0].tolist()
        return only
    path, (flat_tokens, flat_parents) = [0] * steps, (x.ravel().tolist() for x in (tokens, parents))
    for step in range(steps - 1, -1, -1):
        at = beams * step + beam
        path[step], beam = flat_tokens[at], flat_parents[at]
    return path
