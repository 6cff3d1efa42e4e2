"""Threads that work side by side, each on something of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from pathlib import Path

_SMT = Path("/sys/devices/system/cpu/smt/active")
"""Where Linux says whether a core takes two threads, which then share its arithmetic."""


class ThreadPool:
    """So many threads, the caller's own among them."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._helpers = ThreadPoolExecutor(threads - 1, "longways") if threads > 1 else None

    def run(self, calls: Sequence[Callable[[], None]]) -> None:
        """Make all calls; whoever is done with one takes the next. Returns when all are over.

        After an error none is begun any more.
        """
        left = iter(calls)  # one iterator for all: taking from it is a single act
        if self._helpers is None:
            _make(left)
            return
        busy = min(self.threads, len(calls))
        helping = [self._helpers.submit(_make, left) for _ in range(busy - 1)]
        try:
            _make(left)
        finally:
            wait(helping)  # what they write to must not go away
        for helper in helping:
            helper.result()


def _make(calls: Iterator[Callable[[], None]]) -> None:
    try:
        for call in calls:
            call()
    finally:
        for _ in calls:  # after an error: the others shall find none
            pass


@cache
def thread_pool(threads: int) -> ThreadPool:
    """The crew of so many threads; there is one of each size."""
    return ThreadPool(threads)


def cores() -> int:
    """Cores that this process may use."""
    asked = getattr(os, "sched_getaffinity", None)  # not everywhere
    logical = len(asked(0)) if asked else os.cpu_count() or 1
    two_each = _SMT.is_file() and _SMT.read_text().strip() == "1"
    return max(1, logical // 2 if two_each else logical)


def shares(count: int, parts: int) -> list[slice]:
    """So many things in parts that differ by one at most, none of them empty."""
    cuts = [count * part // parts for part in range(parts + 1)]
    return [slice(start, end) for start, end in pairwise(cuts) if start < end]
