"""Worker processes for slow tokenizers: batches are processed in parallel, results keep order."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import Any, TypeVar

from longways.errors import TextError

T = TypeVar("T")
R = TypeVar("R")

BATCH = 2_000
"""Sentences or sentence pairs in a batch."""

MIN_BATCHES = 10
"""With fewer batches, starting processes costs more time than it saves."""

MAX_WORKERS = 8


def spread(work: Callable[[list[T]], R], items: Iterable[T]) -> Iterator[R]:
    """Apply `work` to batches of the items, in several processes if there are enough batches.

    Only a few batches are in flight, so memory does not grow with the number of items.
    """
    batches = _batches(iter(items))
    first = list(islice(batches, MIN_BATCHES))
    workers = min(os.cpu_count() or 1, MAX_WORKERS)
    everything = chain(first, batches)
    if len(first) < MIN_BATCHES or workers < 2 or multiprocessing.current_process().daemon:
        yield from map(work, everything)
        return
    try:
        yield from _by_processes(work, everything, workers)
    except BrokenProcessPool as error:
        raise TextError(
            "A worker process ended early. There may be too little memory, or your script calls "
            'Longways outside `if __name__ == "__main__":`, which worker processes need.'
        ) from error


def _batches(items: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(items, BATCH)):
        yield batch


def _by_processes(
    work: Callable[[list[T]], R], batches: Iterable[list[T]], workers: int
) -> Iterator[R]:
    context = multiprocessing.get_context("spawn")  # a fork would copy a parent with threads
    with ProcessPoolExecutor(workers, context, _set_work, (work,)) as pool:
        waiting: deque[Future[R]] = deque()
        for batch in batches:
            waiting.append(pool.submit(_do_work, batch))
            if len(waiting) > 4 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_work: Callable[[Any], Any] | None = None  # the task of this worker process


def _set_work(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work


def _do_work(batch: list[Any]) -> Any:
    assert _work is not None, "the worker process has no task"
    return _work(batch)
