"""Windows decoded together: which of them, and what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from threading import Event

import numpy as np

from longways.decoding.beam_search import Limits, beam_search
from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import AnyRuntime, Parallelizable, pad_rows
from longways.decoding.windows import Window

ENOUGH = 8
"""Beams for each thread, at the least, that are worth a search of their own."""

UNEVEN = 1.1
"""The most that the largest of such searches may be of an even one."""


def batches(windows: Sequence[Window], config: TranslateConfig) -> Iterator[list[int]]:
    """Indices of windows that are decoded together: those of about the same length.

    The room for new tokens comes first, since a batch is busy until its last window is done. The
    longest go first: whatever does not fit into memory fails at once.
    """
    order = sorted(range(len(windows)), key=lambda i: (-windows[i].max_tokens, -_width(windows[i])))
    batch, widest = list[int](), 0
    for index in order:
        widest = max(widest, _width(windows[index]))
        if len(batch) == config.windows or (batch and (len(batch) + 1) * widest > config.tokens):
            yield batch
            batch, widest = [], _width(windows[index])
        batch.append(index)
    if batch:
        yield batch


def _width(window: Window) -> int:
    return max(len(window.source), len(window.prefix))


def decode(
    runtime: AnyRuntime, windows: Sequence[Window], config: TranslateConfig
) -> list[list[Hypothesis]]:
    """The hypotheses of every window, searched together; all are of one kind, sliding or whole.

    Threads that share an operator wait for each other at its end, and most operators are short. So
    where there is enough for each of them, every thread searches some of the windows by itself.
    """
    beams = config.search.beams
    if not isinstance(runtime, Parallelizable) or not is_worth_searches(
        runtime, len(windows), beams
    ):
        return _decode(runtime, windows, config)
    found: list[list[Hypothesis]] = [[] for _ in windows]
    stop, alone, threads = Event(), runtime.single_threaded(), runtime.crew.threads

    def search(part: slice) -> None:
        try:
            found[part] = _decode(alone, windows[part], config, stop)
        except BaseException:  # the others need not go on
            stop.set()
            raise

    # Every so many: neighbours are of about the same length.
    runtime.crew.run([partial(search, slice(first, None, threads)) for first in range(threads)])
    return found


def is_worth_searches(runtime: Parallelizable, windows: int, beams: int) -> bool:
    """Whether a search for each thread would not leave it with too little, or some with more."""
    threads = runtime.crew.threads
    largest = -(-windows // threads)
    enough = windows * beams >= ENOUGH * threads
    return enough and largest * threads <= UNEVEN * windows


def _decode(
    runtime: AnyRuntime,
    windows: Sequence[Window],
    config: TranslateConfig,
    stop: Event | None = None,
) -> list[list[Hypothesis]]:
    """One search."""
    memory = runtime.encode(pad_rows([window.source for window in windows]))
    separators = [window.separators for window in windows]
    limits = Limits(
        np.array([window.min_tokens for window in windows]),
        np.array([window.max_tokens for window in windows]),
        None if None in separators else np.array(separators),
    )
    prefixes = [window.prefix for window in windows]
    return beam_search(runtime, memory, prefixes, limits, config.search, stop)
