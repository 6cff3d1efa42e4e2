"""Input arrays of exported graphs, made from the arrays of search.

B windows, K beams, T tokens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longways.decoding.runtime import Tokens

Lengths = NDArray[np.int64]

SOURCE_MULTIPLE = 4
"""Source windows are padded to a multiple of this number of tokens. ONNX Runtime sums remaining
tokens in another order, so that the numbers of a window would depend on its batch."""


def by_row(tokens: Tokens, places: Tokens) -> Tokens:
    """Tokens (B, K) of beams in the order of their rows; `places` are the rows of the beams."""
    if tokens.shape[1] == 1:
        return tokens
    ordered = np.empty_like(tokens)
    ordered[window_indices(tokens), places] = tokens
    return ordered


def window_indices(beams: Tokens) -> Lengths:
    """(B, 1): the index of each window, for an array whose first axis is B."""
    return np.arange(len(beams))[:, None]


def first_rows(rows: Lengths) -> Lengths:
    """(B, 1): the first row of each window, for rows (B, K)."""
    windows, beams = rows.shape
    return np.arange(0, windows * beams, beams)[:, None]


def repeat_per_beam(values: Lengths, beams: int) -> Lengths:
    """(B, K): the value of each window (B,), repeated for all of its beams."""
    return values[:, None] if beams == 1 else np.repeat(values[:, None], beams, axis=1)


def candidate_inputs(first: int, candidates: int) -> dict[str, Tokens]:
    """The first token after which candidates are returned, and the number of candidates."""
    return {"first": np.array([first]), "candidates": np.array([candidates])}


def no_scored_tokens(windows: int, tokens: int) -> Tokens:
    """The input `wanted` of a graph where no given tokens are scored."""
    return np.zeros((windows, tokens, 0), dtype=np.int64)


def pad_left(tokens: Tokens, lengths: Lengths, pad: int) -> dict[str, Tokens]:
    """Tokens (B, T) padded on the left instead of the right, and positions; padding has 0."""
    places = np.arange(tokens.shape[1]) - (tokens.shape[1] - lengths)[:, None]
    positions = np.maximum(places, 0)
    moved = np.take_along_axis(tokens, positions, 1)
    return {"tokens": np.where(places < 0, pad, moved), "positions": positions}


def shift_right(target: Tokens, bos: int) -> dict[str, Tokens]:
    """Decoder inputs for target windows (B, T): `<bos>` and all tokens but the last, positions."""
    tokens = np.roll(target, 1, axis=1)
    tokens[:, :1] = bos
    return {"tokens": tokens, "positions": np.tile(np.arange(target.shape[1]), (len(target), 1))}


def pad_source(windows: Tokens, positions: int, pad: int) -> Tokens:
    """Source windows padded to a multiple of `SOURCE_MULTIPLE`, or to the number of positions."""
    width = windows.shape[1]
    more = min(round_up(width), positions) - width
    return np.pad(windows, ((0, 0), (0, more)), constant_values=pad)


def round_up(tokens: int) -> int:
    """The smallest multiple of `SOURCE_MULTIPLE` that is at least `tokens`."""
    return -(-tokens // SOURCE_MULTIPLE) * SOURCE_MULTIPLE
