"""Decoders in the middle of a text, and their steps, with parents and without.

N steps, B windows, K beams.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np
import torch

from benchmarks.decoding.reorder_parents import BEAMS, rows_copied
from longways.benchmark.speed.baselines import ConcatenatingDecoder
from longways.benchmark.speed.windows import Shape, windows_of
from longways.decoding.batching import should_search_in_parallel
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.runtime import AnyRuntime, Parallelizable, Tokens, pad_rows
from longways.decoding.threads import even_slices
from longways.model.config import ModelConfig
from longways.model.translation import TranslationModel


class Stepping(Protocol):
    """A decoder in the middle of a text."""

    at_once: int
    """Tokens that a step reads in every beam."""

    def step(self, parents: Tokens | None) -> object:
        """Read one token after the parents (B, K); None: every beam goes on after itself."""

    def copied(self, parents: Tokens) -> float | None:
        """Rows of a window that are copied in a step, in the mean over parents (N, B, K).

        None where others are followed than those given.
        """


def steps_of(runtime: AnyRuntime, config: ModelConfig, shape: Shape) -> Stepping:
    """Those of a search, or of one for each thread where search would have as many."""
    if isinstance(runtime, Parallelizable) and should_search_in_parallel(
        runtime, shape.batch, BEAMS
    ):
        return ThreadSteps(runtime, config, shape)
    return RuntimeSteps(runtime, config, shape)


class RuntimeSteps:
    """A runtime that has read so many tokens."""

    at_once = 1

    def __init__(self, runtime: AnyRuntime, config: ModelConfig, shape: Shape) -> None:
        windows = windows_of(shape, min(config.source_vocabulary, config.target_vocabulary))
        memory = runtime.encode(pad_rows([window.source for window in windows]))
        prefix = pad_rows([window.source[:-1] for window in windows])  # any text will do
        self.runtime, self.state = runtime, runtime.start(memory, prefix, BEAMS)
        self.tokens = np.full((shape.batch, BEAMS), 5)
        self.still = np.tile(np.arange(BEAMS), (shape.batch, 1))

    def step(self, parents: Tokens | None) -> object:
        """What search would do."""
        followed = self.still if parents is None else parents
        scores, _, self.state = self.runtime.step(self.tokens, followed, self.state)
        return scores

    def copied(self, parents: Tokens) -> float:
        """Second children; in torch all rows of all windows, unless no beam moves."""
        if isinstance(self.runtime, OnnxRuntime):
            return rows_copied(parents)
        return BEAMS * float((parents != self.still).any((1, 2)).mean())


class ThreadSteps:
    """Threads, each with windows of its own, which step at the same time."""

    at_once = 1

    def __init__(self, runtime: Parallelizable, config: ModelConfig, shape: Shape) -> None:
        self.thread_pool, alone = runtime.thread_pool, runtime.single_threaded()
        self.parts = even_slices(shape.batch, self.thread_pool.threads)
        sizes = [shape._replace(batch=part.stop - part.start) for part in self.parts]
        self.searches = [RuntimeSteps(alone, config, size) for size in sizes]

    def step(self, parents: Tokens | None) -> object:
        """One of every thread."""
        given = [None if parents is None else parents[part] for part in self.parts]
        pairs = zip(self.searches, given, strict=True)
        self.thread_pool.run([partial(_step, *pair) for pair in pairs])
        return None

    def copied(self, parents: Tokens) -> float:
        """Of all windows."""
        return self.searches[0].copied(parents)


def _step(search: RuntimeSteps, parents: Tokens | None) -> None:
    search.step(parents)


class ConcatenatingSteps:
    """The paper's kind of cache, after so many tokens."""

    at_once = 1

    @torch.inference_mode()
    def __init__(self, model: TranslationModel, shape: Shape) -> None:
        windows = windows_of(shape, model.config.source_vocabulary)
        self.decoder = ConcatenatingDecoder(model, beams=BEAMS)
        self.cache = self.decoder.start([window.source for window in windows])
        self.position = shape.tokens
        rows, heads, _, size = self.cache.sides[0][0].shape
        held = self.cache.encoded.new_ones(rows, heads, self.position, size)
        self.cache.sides = [(held, held) for _ in self.cache.sides]
        self.tokens = torch.full((rows,), 5, device=self.decoder.device)
        self.first = torch.arange(0, rows, BEAMS, device=self.decoder.device)[:, None]

    @torch.inference_mode()
    def step(self, parents: Tokens | None) -> object:
        """Re-index, concatenate, attend."""
        if parents is not None:
            rows = self.first + torch.from_numpy(parents).to(self.decoder.device)
            self.cache.reorder(rows.flatten())
        logits = self.decoder.step(self.tokens, self.position, self.cache)
        self.position += 1
        return logits.topk(BEAMS)

    def copied(self, parents: Tokens) -> float:
        """All of them, whatever the parents are."""
        return float(parents.shape[2])
