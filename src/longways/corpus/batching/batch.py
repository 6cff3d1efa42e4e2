"""Batches of windows, gathered from the arrays of a split by vectorised indexing.

B rows, N source tokens, T target tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.corpus.batching.buckets import Shape
from longways.corpus.prepared_data import Split
from longways.corpus.window import Offsets
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD

Tokens = NDArray[np.int64]


class Batch(NamedTuple):
    """Windows padded at the end to one shape.

    A batch may have rows without a window. Their source is a single `<eos>`, since attention needs
    at least one token, and their target is all padding, so that they do not count in the loss.
    """

    source: Tokens  # (B, N)  s1 <sep> s2 <eos>
    target_in: Tokens  # (B, T)  <bos> t1 <sep> t2
    target: Tokens  # (B, T)  t1 <sep> t2 <eos>

    @property
    def target_tokens(self) -> int:
        """The number of target tokens without padding."""
        return int((self.target != PAD).sum())


def window_lengths(windows: Offsets, offsets: Offsets) -> Offsets:
    """The number of tokens of each window, `<eos>` and separators included."""
    return np.asarray(offsets[windows[:, 1]] - offsets[windows[:, 0]])


def gather_batch(split: Split, windows: Offsets, shape: Shape) -> Batch:
    """A batch of this shape with the windows (B', 2), where B' is at most `shape.rows`."""
    source = _gather(split.source, split.source_offsets, windows, shape.rows, shape.source)
    target = _gather(split.target, split.target_offsets, windows, shape.rows, shape.target)
    source[len(windows) :, 0] = EOS
    target_in = np.empty_like(target)
    target_in[:, 0] = np.where(target[:, 0] == PAD, PAD, BOS)
    target_in[:, 1:] = np.where(target[:, 1:] == PAD, PAD, target[:, :-1])
    return Batch(source, target_in, target)


def _gather(
    ids: NDArray[np.integer[Any]], offsets: Offsets, windows: Offsets, rows: int, width: int
) -> Tokens:
    """The tokens of each window: a slice of the ids, whose last separator becomes `<eos>`."""
    starts, ends = offsets[windows[:, 0]], offsets[windows[:, 1]]
    columns = np.arange(width)
    places = np.minimum(starts[:, None] + columns, len(ids) - 1)
    lengths = (ends - starts)[:, None]
    tokens = np.full((rows, width), PAD, dtype=np.int64)
    tokens[: len(windows)] = np.where(columns < lengths, ids[places], PAD)
    np.put_along_axis(tokens[: len(windows)], lengths - 1, EOS, 1)
    return tokens


def by_length(widths: Sequence[int] | NDArray[np.int64], tokens: int) -> list[list[int]]:
    """Indices of windows in batches of similar length, the shortest first.

    A batch has at most `tokens` tokens, padding included, or it is a single longer window.
    """
    batches: list[list[int]] = []
    for index in np.argsort(np.asarray(widths), kind="stable").tolist():
        if not batches or (len(batches[-1]) + 1) * widths[index] > tokens:
            batches.append([])
        batches[-1].append(index)
    return batches
