"""The sampler: batches of training windows, shuffled in every epoch and divided among ranks.

Batches form one endless stream. Batch n depends on the seed and on n alone; an epoch has every
training window once, in its own order. Of R ranks, rank r takes the batches r, r + R, r + 2 R, ...
So one integer is the position of a run, and any number of ranks can resume from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from longways.corpus.batching.batch import Batch, gather_batch, window_lengths
from longways.corpus.batching.buckets import Shape, choose_shapes
from longways.corpus.prepared_data import Split
from longways.corpus.window import Offsets, training_windows
from longways.errors import ConfigError, CorpusError


@dataclass(frozen=True, kw_only=True)
class SamplerConfig:
    """Settings of the sampler."""

    L: int = 4
    """Sentences in a window."""
    mixed: bool = False
    """Windows of 1 to L sentences, so that the model can translate with any of these lengths."""
    curriculum: tuple[int, ...] = ()
    """Sentences in the windows of the earlier stages, for example [1, 2]; the last stage has L."""
    stage: int = 5000
    """The number of batches in each earlier stage."""
    tokens: int = 16_384
    """The largest number of target tokens in a batch, padding included."""
    shapes: int = 24
    """The largest number of different batch shapes."""
    multiple: int = 8
    """Lengths of batch shapes are multiples of this; 8 suits the tensor cores of a GPU."""
    longest: int = 1024
    """The largest number of source or target tokens of a window. A longer window loses its earliest
    sentences."""
    seed: int = 1
    """The seed of the shuffling."""

    def __post_init__(self) -> None:
        for name in ("L", "stage", "tokens", "shapes", "multiple", "longest"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but it must be at least 1.")
        if any(not 1 <= sentences <= self.L for sentences in self.curriculum):
            raise ConfigError(
                f"curriculum is {list(self.curriculum)}, but its windows must have 1 to "
                f"L = {self.L} sentences."
            )


@dataclass(frozen=True)
class LengthLimitCounts:
    """The numbers of windows and sentences that the length limit changed."""

    shortened: int
    """Windows that lost their earliest sentences."""
    dropped: int
    """Sentences that are too long for any window."""


class Sampler:
    """The batches of a split for windows of L sentences."""

    def __init__(self, split: Split, config: SamplerConfig, rank: int = 0, ranks: int = 1) -> None:
        if not 0 <= rank < ranks:
            raise ConfigError(f"rank is {rank}, but of {ranks} ranks it must be 0 to {ranks - 1}.")
        self.split, self.config, self.rank, self.ranks = split, config, rank, ranks
        self._planned, self._plan = -1, list[tuple[Shape, NDArray[np.int64]]]()
        lengths = range(1 if config.mixed else config.L, config.L + 1)
        windows = np.concatenate(
            [training_windows(np.asarray(split.documents), n) for n in lengths]
        )
        self.windows, self.limits = fit_windows(windows, split, config.longest)
        if not len(self.windows):
            raise CorpusError(
                f"All sentences have more than {config.longest} tokens in source or target. Raise "
                "`longest`."
            )
        source, target = (
            -(-window_lengths(self.windows, offsets) // config.multiple) * config.multiple
            for offsets in (split.source_offsets, split.target_offsets)
        )
        self.shapes, which = choose_shapes(source, target, config.tokens, config.shapes)
        self.groups = [np.flatnonzero(which == shape) for shape in range(len(self.shapes))]
        sizes = zip(self.groups, self.shapes, strict=True)
        self.batches = sum(-(-len(group) // shape.rows) for group, shape in sizes)
        if self.batches < ranks:
            raise ConfigError(
                f"There are {self.batches} batches an epoch, but {ranks} ranks. Use fewer ranks or "
                "fewer tokens a batch."
            )

    def epoch(self, epoch: int) -> list[tuple[Shape, NDArray[np.int64]]]:
        """The batches of an epoch for all ranks, each a shape and the indices of its windows."""
        rng = np.random.Generator(np.random.Philox(key=self.config.seed, counter=[0, 0, 0, epoch]))
        batches = [
            (shape, chosen)
            for shape, group in zip(self.shapes, self.groups, strict=True)
            for chosen in _chunks(rng.permutation(group), shape.rows)
        ]
        return [batches[i] for i in rng.permutation(len(batches))]

    def at(self, number: int) -> tuple[Shape, Offsets]:
        """The shape and the windows (rows, 2) of batch `number` of the stream."""
        epoch, place = divmod(number, self.batches)
        if epoch != self._planned:
            self._planned, self._plan = epoch, self.epoch(epoch)
        shape, chosen = self._plan[place]
        return shape, self.windows[chosen]

    def plan(self, start: int = 0) -> Iterator[tuple[int, Shape, Offsets]]:
        """The batches of this rank from batch `start` on: number, shape and windows (rows, 2)."""
        for number in count(start + self.rank, self.ranks):
            yield number, *self.at(number)

    def read(self, start: int = 0) -> Iterator[tuple[int, Batch]]:
        """The endless batches of this rank from batch `start` on, each with its number."""
        for number, shape, windows in self.plan(start):
            yield number, gather_batch(self.split, windows, shape)

    def padding(self) -> tuple[float, float]:
        """The share of padding among an epoch's tokens: in source and target, in the target."""
        shape_rows = [
            (s, -(-len(g) // s.rows) * s.rows)
            for s, g in zip(self.shapes, self.groups, strict=True)
        ]
        source = int(window_lengths(self.windows, self.split.source_offsets).sum())
        target = int(window_lengths(self.windows, self.split.target_offsets).sum())
        padded_source = sum(rows * shape.source for shape, rows in shape_rows)
        padded_target = sum(rows * shape.target for shape, rows in shape_rows)
        both = 1 - (source + target) / (padded_source + padded_target)
        return both, 1 - target / padded_target


def fit_windows(windows: Offsets, split: Split, longest: int) -> tuple[Offsets, LengthLimitCounts]:
    """The windows, without their earliest sentences where they exceed `longest` tokens."""
    fitted = windows.copy()
    for _ in range(int((windows[:, 1] - windows[:, 0]).max(initial=1)) - 1):
        long = _tokens(fitted, split) > longest
        fitted[long & (fitted[:, 0] < fitted[:, 1] - 1), 0] += 1
    shortened = int((fitted[:, 0] != windows[:, 0]).sum())
    keep = _tokens(fitted, split) <= longest
    dropped = len(np.unique(fitted[~keep, 1]))
    return np.unique(fitted[keep], axis=0), LengthLimitCounts(shortened, dropped)


def _tokens(windows: Offsets, split: Split) -> Offsets:
    source = window_lengths(windows, split.source_offsets)
    return np.maximum(source, window_lengths(windows, split.target_offsets))


def _chunks(indices: NDArray[np.int64], rows: int) -> list[NDArray[np.int64]]:
    return [indices[start : start + rows] for start in range(0, len(indices), rows)]
