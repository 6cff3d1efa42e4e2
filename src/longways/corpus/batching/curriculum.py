"""Short windows first, then long ones: several samplers in one stream of batches.

Number n of the stream still depends on the seed and on n alone, so one integer says where a run
stands. Without a curriculum the stream is that of the one sampler.
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
    """The stages of a run, each with windows of its own length."""

    def __init__(self, split: Split, config: SamplerConfig, rank: int = 0, ranks: int = 1) -> None:
        self.split, self.config, self.rank, self.ranks = split, config, rank, ranks
        self.stages = [
            Sampler(split, replace(config, L=sentences, curriculum=()), rank, ranks)
            for sentences in (*config.curriculum, config.L)
        ]

    def plan(self, start: int = 0) -> Iterator[tuple[int, Shape, Offsets]]:
        """Batches of this rank from number `start` on: number, shape and windows (rows, 2)."""
        for number in count(start + self.rank, self.ranks):
            stage = min(number // self.config.stage, len(self.stages) - 1)
            yield number, *self.stages[stage].at(number - stage * self.config.stage)
