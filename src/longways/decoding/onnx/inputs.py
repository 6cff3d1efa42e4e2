"""What exported graphs are given, made of what search says.

B windows, K beams, T tokens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longways.decoding.runtime import Tokens

Lengths = NDArray[np.int64]

STRIDE = 4
"""Source windows are padded to a multiple of this: ONNX Runtime adds up the tokens left over in
another order, and a window would not be the same beside longer ones."""


def seated(tokens: Tokens, places: Tokens) -> Tokens:
    """Tokens (B, K) of beams in the order of the rows that these sit in."""
    if tokens.shape[1] == 1:
        return tokens
    seated = np.empty_like(tokens)
    seated[every_window(tokens), places] = tokens
    return seated


def every_window(beams: Tokens) -> Lengths:
    """(B, 1): the number of each window, for an array whose first axis is B."""
    return np.arange(len(beams))[:, None]


def first_rows(rows: Lengths) -> Lengths:
    """(B, 1): the first row of each window, for rows (B, K)."""
    windows, beams = rows.shape
    return np.arange(0, windows * beams, beams)[:, None]


def for_each(numbers: Lengths, beams: int) -> Lengths:
    """(B, K): the number of each window (B,), for all of its beams."""
    return numbers[:, None] if beams == 1 else np.repeat(numbers[:, None], beams, axis=1)


def asking(first: int, candidates: int) -> dict[str, Tokens]:
    """From which token on candidates are asked for, and how many."""
    return {"first": np.array([first]), "candidates": np.array([candidates])}


def nothing_wanted(windows: int, tokens: int) -> Tokens:
    """No words whose probabilities are asked for."""
    return np.zeros((windows, tokens, 0), dtype=np.int64)


def pad_in_front(tokens: Tokens, lengths: Lengths, pad: int) -> dict[str, Tokens]:
    """Tokens (B, T) moved to the end of their rows, and their positions; padding has 0."""
    places = np.arange(tokens.shape[1]) - (tokens.shape[1] - lengths)[:, None]
    positions = np.maximum(places, 0)
    moved = np.take_along_axis(tokens, positions, 1)
    return {"tokens": np.where(places < 0, pad, moved), "positions": positions}


def read_before(target: Tokens, bos: int) -> dict[str, Tokens]:
    """What is read before each token of target windows (B, T), and where."""
    tokens = np.roll(target, 1, axis=1)
    tokens[:, :1] = bos
    return {"tokens": tokens, "positions": np.tile(np.arange(target.shape[1]), (len(target), 1))}


def strided(windows: Tokens, most: int, pad: int) -> Tokens:
    """Source windows, padded to a multiple of the stride, or to the most that there may be."""
    width = windows.shape[1]
    more = min(whole_strides(width), most) - width
    return np.pad(windows, ((0, 0), (0, more)), constant_values=pad)


def whole_strides(tokens: int) -> int:
    """So many tokens, or as many more as make them a multiple of the stride."""
    return -(-tokens // STRIDE) * STRIDE
