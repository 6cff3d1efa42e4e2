"""A curriculum over window lengths: the streams of several samplers as one stream of batches.

Batch n of the stream depends on the seed and on n alone, so one integer is the position of a run.
Without a curriculum the stream is that of a single sampler.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from longways.corpus.batching.buckets import Shape
from longways.corpus.batching.sampler import Sampler, SamplerConfig
from longways.corpus.prepared_data import Split
from longways.corpus.window import Offsets


class Curriculum:
    """The stages of a run, each with a sampler for its own L."""

    def __init__(self, split: Split, config: SamplerConfig, rank: int = 0, ranks: int = 1) -> None:
        self.split, self.config, self.rank, self.ranks = split, config, rank, ranks
        self.stages = [
            Sampler(split, replace(config, L=sentences, curriculum=()), rank, ranks)
            for sentences in (*config.curriculum, config.L)
        ]

    def plan(self, start: int = 0) -> Iterator[tuple[int, Shape, Offsets]]:
        """The batches of this rank from batch `start` on: number, shape and windows (rows, 2)."""
        for number in count(start + self.rank, self.ranks):
            stage = min(number // self.config.stage, len(self.stages) - 1)
            yield number, *self.stages[stage].at(number - stage * self.config.stage)
