"""Who searches windows: submitted one by one, given back as they are done.

On the host, windows wait until those submitted before are done, and are then searched in batches of
about the same length. On a GPU each begins as soon as there is a slot for it.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Protocol

from longways.runtime.protocol import AnyRuntime
from longways.search.hypothesis import Hypothesis
from longways.translate.config import TranslateConfig
from longways.translate.decode import batches, decode
from longways.translate.window import Window

Found = list[Hypothesis]
"""What was found for a window, the best first."""


class Searcher(Protocol):
    """Windows are known by numbers; one may be used again when its window is done."""

    @property
    def pending(self) -> int:
        """Windows that were submitted and are not done."""

    def expect(self, most: int) -> None:
        """Be told how many windows there will be at once, from now on."""

    def submit(self, key: int, window: Window) -> None:
        """Have a window searched."""

    def wait(self) -> list[tuple[int, Found]]:
        """Go on until some windows are done: those, and what was found for them."""


def open_searcher(runtime: AnyRuntime, config: TranslateConfig) -> Searcher:
    """The one for this engine."""
    return _on_device(runtime, config) or HostSearcher(runtime, config)


class HostSearcher:
    """Searches with any engine, batch by batch."""

    def __init__(self, runtime: AnyRuntime, config: TranslateConfig) -> None:
        self.runtime, self.config = runtime, config
        self.waiting: list[tuple[int, Window]] = []
        self.planned: deque[list[tuple[int, Window]]] = deque()

    @property
    def pending(self) -> int:
        """Windows that were submitted and are not done."""
        return len(self.waiting) + sum(map(len, self.planned))

    def expect(self, most: int) -> None:
        """Batches are as large as there are windows; nothing needs to be known before."""

    def submit(self, key: int, window: Window) -> None:
        """Have a window searched with all others that wait."""
        self.waiting.append((key, window))

    def wait(self) -> list[tuple[int, Found]]:
        """Search the next batch."""
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
    """The place of each window among those given and what was found for it, as they are done."""
    searcher, given = open_searcher(runtime, config), list(windows)
    searcher.expect(len(given))
    for place, window in enumerate(given):
        searcher.submit(place, window)
    while searcher.pending:
        yield from searcher.wait()


def _on_device(runtime: AnyRuntime, config: TranslateConfig) -> Searcher | None:
    """Captured search, for a torch engine on a GPU in the precision of its weights."""
    if "longways.runtime.torch" not in sys.modules:
        return None
    from longways.runtime.torch import TorchRuntime

    if not isinstance(runtime, TorchRuntime) or runtime.device.type != "cuda" or runtime.half:
        return None
    from longways.translate.device_searcher import DeviceSearcher

    return DeviceSearcher(runtime, config)
