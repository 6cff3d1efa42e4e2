"""Windows side by side: gathered from the arrays of a split in one step, without a loop.

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

    Rows without a window fill a batch up: their source is a single `<eos>`, so that attention has
    something to look at, and their target is all padding, so that they weigh nothing in the loss.
    """

    source: Tokens  # (B, N)  s1 <sep> s2 <eos>
    target_in: Tokens  # (B, T)  <bos> t1 <sep> t2
    target: Tokens  # (B, T)  t1 <sep> t2 <eos>

    @property
    def target_tokens(self) -> int:
        """Real target tokens: those that are no padding."""
        return int((self.target != PAD).sum())


def window_lengths(windows: Offsets, offsets: Offsets) -> Offsets:
    """Tokens of each window on one side, its `<eos>` and separators included."""
    return np.asarray(offsets[windows[:, 1]] - offsets[windows[:, 0]])


def gather_batch(split: Split, windows: Offsets, shape: Shape) -> Batch:
    """The windows (B', 2), B' at most `shape.rows`, as a batch of that shape."""
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
    """Each window is a slice of the ids that ends in a separator, which becomes `<eos>`."""
    starts, ends = offsets[windows[:, 0]], offsets[windows[:, 1]]
    columns = np.arange(width)
    places = np.minimum(starts[:, None] + columns, len(ids) - 1)
    lengths = (ends - starts)[:, None]
    tokens = np.full((rows, width), PAD, dtype=np.int64)
    tokens[: len(windows)] = np.where(columns < lengths, ids[places], PAD)
    np.put_along_axis(tokens[: len(windows)], lengths - 1, EOS, 1)
    return tokens


def by_length(widths: Sequence[int] | NDArray[np.int64], tokens: int) -> list[list[int]]:
    """Indices of windows of about the same length together, shortest first.

    A batch has at most so many tokens, padding included, or a single window that has more.
    """
    batches: list[list[int]] = []
    for index in np.argsort(np.asarray(widths), kind="stable").tolist():
        if not batches or (len(batches[-1]) + 1) * widths[index] > tokens:
            batches.append([])
        batches[-1].append(index)
    return batches
