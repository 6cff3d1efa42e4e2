"""A thread pool for calls that release the GIL, and the number of cores to use for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from pathlib import Path

_SMT = Path("/sys/devices/system/cpu/smt/active")
"""Linux's file that says whether two hardware threads share each core."""


class ThreadPool:
    """A pool of `threads` threads; the calling thread is one of them."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._workers = ThreadPoolExecutor(threads - 1, "longways") if threads > 1 else None

    def run(self, calls: Sequence[Callable[[], None]]) -> None:
        """Make all calls in parallel and return when all have ended.

        After an error no further call is started, and the error is raised.
        """
        queue = iter(calls)  # shared by all threads: `next` is atomic
        if self._workers is None:
            _drain(queue)
            return
        busy = min(self.threads, len(calls))
        futures = [self._workers.submit(_drain, queue) for _ in range(busy - 1)]
        try:
            _drain(queue)
        finally:
            wait(futures)  # the arrays that they write to must stay alive
        for future in futures:
            future.result()


def _drain(queue: Iterator[Callable[[], None]]) -> None:
    try:
        for call in queue:
            call()
    finally:
        for _ in queue:  # after an error, leave no call for the other threads
            pass


@cache
def shared_thread_pool(threads: int) -> ThreadPool:
    """The thread pool of this size that the whole process shares."""
    return ThreadPool(threads)


def available_cores() -> int:
    """The number of physical cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every platform
    logical = len(affinity(0)) if affinity else os.cpu_count() or 1
    has_smt = _SMT.is_file() and _SMT.read_text().strip() == "1"
    return max(1, logical // 2 if has_smt else logical)


def even_slices(count: int, parts: int) -> list[slice]:
    """`count` items in at most `parts` slices, none of them empty; sizes differ by at most 1."""
    cuts = [count * part // parts for part in range(parts + 1)]
    return [slice(start, end) for start, end in pairwise(cuts) if start < end]
