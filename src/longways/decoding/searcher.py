"""Searchers: windows are submitted one by one, and their hypotheses come back when they are ready.

On the host, submitted windows wait until the current batch is searched; then they are searched in
batches of windows of similar length. On a GPU each window starts as soon as a slot is free.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from longways.decoding.batching import batches, decode
from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import AnyRuntime
from longways.decoding.windows import Window

Found = list[Hypothesis]
"""The hypotheses of a window, the best first."""


class Searcher(Protocol):
    """Searches windows by key. A key may be used again after its window was returned."""

    @property
    def pending(self) -> int:
        """The number of windows that were submitted and not returned yet."""

    def expect(self, most: int) -> None:
        """Prepare for at most this number of windows in flight from now on."""

    def submit(self, key: int, window: Window) -> None:
        """Queue a window for search."""

    def wait(self) -> list[tuple[int, Found]]:
        """Search until at least one window is ready; returns keys with their hypotheses."""


@runtime_checkable
class OwnSearcher(Protocol):
    """A runtime that chooses its searcher itself, as torch does on a GPU."""

    def open_searcher(self, config: TranslateConfig) -> Searcher:
        """A searcher for windows of this runtime."""


def open_searcher(runtime: AnyRuntime, config: TranslateConfig) -> Searcher:
    """The searcher that a runtime brings itself, or else one that searches on the host."""
    if isinstance(runtime, OwnSearcher):
        return runtime.open_searcher(config)
    return HostSearcher(runtime, config)


class HostSearcher:
    """Searches on the host, batch by batch, with any runtime."""

    def __init__(self, runtime: AnyRuntime, config: TranslateConfig) -> None:
        self.runtime, self.config = runtime, config
        self.waiting: list[tuple[int, Window]] = []
        self.planned: deque[list[tuple[int, Window]]] = deque()

    @property
    def pending(self) -> int:
        """The number of windows that were submitted and not returned yet."""
        return len(self.waiting) + sum(map(len, self.planned))

    def expect(self, most: int) -> None:
        """Do nothing: batches are formed when they are searched."""

    def submit(self, key: int, window: Window) -> None:
        """Queue a window for the next plan of batches."""
        self.waiting.append((key, window))

    def wait(self) -> list[tuple[int, Found]]:
        """Search the next batch and return its hypotheses."""
        if not self.planned:
            plan = batches([window for _, window in self.waiting], self.config)
            self.planned.extend([self.waiting[i] for i in batch] for batch in plan)
            self.waiting = []
        batch = self.planned.popleft()
        found = decode(self.runtime, [window for _, window in batch], self.config)
        return [(key, one) for (key, _), one in zip(batch, found, strict=True)]


def search_all(
    runtime: AnyRuntime, windows: Iterable[Window], config: TranslateConfig
) -> Iterator[tuple[int, Found]]:
    """The index of each window and its hypotheses, in the order in which they are ready."""
    searcher, given = open_searcher(runtime, config), list(windows)
    searcher.expect(len(given))
    for place, window in enumerate(given):
        searcher.submit(place, window)
    while searcher.pending:
        yield from searcher.wait()
