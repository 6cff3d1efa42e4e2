"""Decoders in the middle of a text, which take steps with and without reordering of beams.

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


class SteppingDecoder(Protocol):
    """A decoder in the middle of a text."""

    tokens_per_step: int
    """Tokens that one call of `step` decodes in every beam."""

    def step(self, parents: Tokens | None) -> object:
        """Decode a token after the parents (B, K); None: every beam continues itself."""

    def copied(self, parents: Tokens) -> float | None:
        """Mean number of rows per window and step that are copied, for parents (N, B, K).

        None if the decoder uses the parents of its own search.
        """


def steps_of(runtime: AnyRuntime, config: ModelConfig, shape: Shape) -> SteppingDecoder:
    """One decoder, or one for each thread where search would use several threads."""
    if isinstance(runtime, Parallelizable) and should_search_in_parallel(
        runtime, shape.batch, BEAMS
    ):
        return ThreadSteps(runtime, config, shape)
    return RuntimeSteps(runtime, config, shape)


class RuntimeSteps:
    """A runtime with a prefix of `shape.tokens` tokens."""

    tokens_per_step = 1

    def __init__(self, runtime: AnyRuntime, config: ModelConfig, shape: Shape) -> None:
        windows = windows_of(shape, min(config.source_vocabulary, config.target_vocabulary))
        memory = runtime.encode(pad_rows([window.source for window in windows]))
        prefix = pad_rows([window.source[:-1] for window in windows])  # any text serves
        self.runtime, self.state = runtime, runtime.start(memory, prefix, BEAMS)
        self.tokens = np.full((shape.batch, BEAMS), 5)
        self.still = np.tile(np.arange(BEAMS), (shape.batch, 1))

    def step(self, parents: Tokens | None) -> object:
        """One step of beam search."""
        followed = self.still if parents is None else parents
        scores, _, self.state = self.runtime.step(self.tokens, followed, self.state)
        return scores

    def copied(self, parents: Tokens) -> float:
        """ONNX Runtime copies second children; torch copies all rows if any beam moves."""
        if isinstance(self.runtime, OnnxRuntime):
            return rows_copied(parents)
        return BEAMS * float((parents != self.still).any((1, 2)).mean())


class ThreadSteps:
    """Several threads that take steps at the same time, each with its own windows."""

    tokens_per_step = 1

    def __init__(self, runtime: Parallelizable, config: ModelConfig, shape: Shape) -> None:
        self.thread_pool, alone = runtime.thread_pool, runtime.single_threaded()
        self.parts = even_slices(shape.batch, self.thread_pool.threads)
        sizes = [shape._replace(batch=part.stop - part.start) for part in self.parts]
        self.searches = [RuntimeSteps(alone, config, size) for size in sizes]

    def step(self, parents: Tokens | None) -> object:
        """One step in every thread."""
        given = [None if parents is None else parents[part] for part in self.parts]
        pairs = zip(self.searches, given, strict=True)
        self.thread_pool.run([partial(_step, *pair) for pair in pairs])
        return None

    def copied(self, parents: Tokens) -> float:
        """Mean over all windows."""
        return self.searches[0].copied(parents)


def _step(search: RuntimeSteps, parents: Tokens | None) -> None:
    search.step(parents)


class ConcatenatingSteps:
    """The paper's concatenating KV cache, after `shape.tokens` tokens."""

    tokens_per_step = 1

    @torch.inference_mode()
    def __init__(self, model: TranslationModel, shape: Shape) -> None:
        windows = windows_of(shape, model.config.source_vocabulary)
        self.decoder = ConcatenatingDecoder(model, beams=BEAMS)
        self.cache = self.decoder.start([window.source for window in windows])
        self.position = shape.tokens
        rows, heads, _, size = self.cache.layers[0][0].shape
        held = self.cache.encoded.new_ones(rows, heads, self.position, size)
        self.cache.layers = [(held, held) for _ in self.cache.layers]
        self.tokens = torch.full((rows,), 5, device=self.decoder.device)
        self.first = torch.arange(0, rows, BEAMS, device=self.decoder.device)[:, None]

    @torch.inference_mode()
    def step(self, parents: Tokens | None) -> object:
        """Gather the rows of the parents, concatenate keys and values, attend."""
        if parents is not None:
            rows = self.first + torch.from_numpy(parents).to(self.decoder.device)
            self.cache.reorder(rows.flatten())
        logits = self.decoder.step(self.tokens, self.position, self.cache)
        self.position += 1
        return logits.topk(BEAMS)

    def copied(self, parents: Tokens) -> float:
        """All rows, for any parents."""
        return float(parents.shape[2])
