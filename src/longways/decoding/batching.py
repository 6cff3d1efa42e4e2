"""Batches of windows: which windows are searched together, and on which threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from threading import Event
from typing import Any

import numpy as np

from longways.decoding.beam_search import Limits, beam_search
from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.rescore import end_at_limit
from longways.decoding.runtime import AnyRuntime, Parallelizable, pad_rows
from longways.decoding.shortlist.shortlist import Shortlisting
from longways.decoding.stream import StreamRuntime
from longways.decoding.windows import Window

MIN_BEAMS_PER_THREAD = 8
"""A thread runs a search of its own only if it has at least this number of beams."""

MAX_IMBALANCE = 1.1
"""The largest search may have at most this multiple of the mean number of windows."""


def batches(windows: Sequence[Window], config: TranslateConfig) -> Iterator[list[int]]:
    """Indices of windows that are decoded together, of similar length in each batch.

    Windows are sorted by `max_tokens` first, since a batch runs until its last window is finished.
    The longest windows come first, so that a batch that exceeds the memory fails at once.
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
    """The hypotheses of every window of a batch. All windows are sliding, or all are whole.

    Threads that share an operator wait for each other at its end, and most operators are short. So
    with enough windows, each thread searches its own windows instead.
    """
    beams = config.search.beams
    if not isinstance(runtime, Parallelizable) or not should_search_in_parallel(
        runtime, len(windows), beams
    ):
        return _decode(runtime, windows, config)
    found: list[list[Hypothesis]] = [[] for _ in windows]
    stop, clone, threads = Event(), runtime.single_threaded(), runtime.thread_pool.threads

    def search(share: slice) -> None:
        try:
            found[share] = _decode(clone, windows[share], config, stop)
        except BaseException:  # stop the other searches
            stop.set()
            raise

    # Thread i takes windows i, i + threads, ...: neighbours in a batch have similar lengths.
    shares = [slice(first, None, threads) for first in range(threads)]
    runtime.thread_pool.run([partial(search, share) for share in shares])
    return found


def should_search_in_parallel(runtime: Parallelizable, windows: int, beams: int) -> bool:
    """Whether one search per thread leaves every thread with enough beams, and about as many."""
    threads = runtime.thread_pool.threads
    largest = -(-windows // threads)
    enough = windows * beams >= MIN_BEAMS_PER_THREAD * threads
    return enough and largest * threads <= MAX_IMBALANCE * windows


def _decode(
    runtime: AnyRuntime,
    windows: Sequence[Window],
    config: TranslateConfig,
    stop: Event | None = None,
) -> list[list[Hypothesis]]:
    """Search all windows in one batch."""
    memory = _encode(runtime, windows)
    if isinstance(runtime, Shortlisting) and runtime.shortlist:
        memory = runtime.limit(memory, [runtime.shortlist.of_window(one) for one in windows])
    separators = [window.separators for window in windows]
    limits = Limits(
        np.array([window.min_tokens for window in windows]),
        np.array([window.max_tokens for window in windows]),
        None if None in separators else np.array(separators),
    )
    prefixes = [window.prefix for window in windows]
    found = beam_search(runtime, memory, prefixes, limits, config.search, stop)
    return end_at_limit(runtime, windows, found, config.search)


def _encode(runtime: AnyRuntime, windows: Sequence[Window]) -> Any:
    """Encode windows, or the next sentences of documents; without a state, the first ones."""
    sources = pad_rows([window.source for window in windows])
    if not isinstance(runtime, StreamRuntime):
        return runtime.encode(sources)
    opened = runtime.open_document()
    states = [opened if window.state is None else window.state for window in windows]
    return runtime.encode_sentences(sources, states)
