"""Continuous batching on a device: windows are decoded in a fixed number of slots.

A slot whose window is finished takes the next window. The host reads the status of the slots only
once every few steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from longways.decoding.beam_search import Limits, SearchConfig
from longways.decoding.gpu.captured_decoder import CapturedDecoder
from longways.decoding.gpu.device_beam_search import NO_SEPARATORS
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.errors import WindowError
from longways.model.translation import TranslationModel

MAX_CACHED_DECODERS = 4
"""Decoders that are cached for a runtime: of several sizes, and for constrained search."""

_DECODERS: WeakKeyDictionary[TorchRuntime, list[DeviceDecoder]] = WeakKeyDictionary()


class DeviceDecoder:
    """Decodes windows as they are submitted, each identified by a key.

    A window has at most `source` tokens and `target` new tokens, by default as many as the model
    has positions; the prefix does not count.
    """

    def __init__(
        self,
        model: TranslationModel,
        *,
        beams: int = 4,
        slots: int = 64,
        source: int | None = None,
        target: int | None = None,
        search: SearchConfig | None = None,
    ) -> None:
        self.config, self.slots = search or SearchConfig(beams=beams), slots
        self.decoder = CapturedDecoder(model, self.config, slots, source, target)
        self.waiting: deque[tuple[int, Window]] = deque()
        self.active: dict[int, int] = {}
        self.idle = list(range(slots))

    @property
    def pending(self) -> int:
        """Number of submitted windows that are not finished."""
        return len(self.waiting) + len(self.active)

    def submit(self, key: int, window: Window) -> None:
        """Queue a window; its search begins when a slot is idle."""
        self._check(window)
        self.waiting.append((key, window))

    def wait(self) -> list[tuple[int, list[Hypothesis]]]:
        """Run until some windows are finished; return keys and hypotheses, the best first."""
        while self.pending:
            if done := self.advance():
                return done
        return []

    def advance(self) -> list[tuple[int, list[Hypothesis]]]:
        """Take a few steps if windows are pending; return the finished windows."""
        if not self.pending:
            return []
        self._place_waiting()
        done = [slot for slot in self.decoder.advance() if slot in self.active]
        if not done:
            return []
        found = self.decoder.take(done).results(self.config)
        self.idle += done
        return [(self.active.pop(slot), one) for slot, one in zip(done, found, strict=True)]

    def decode(self, windows: Sequence[Window]) -> list[list[Hypothesis]]:
        """The hypotheses of every window; no other windows may be pending."""
        assert not self.pending, "other windows are pending"
        for number, window in enumerate(windows):
            self.submit(number, window)
        found: dict[int, list[Hypothesis]] = {}
        while self.pending:
            found.update(self.wait())
        return [found[number] for number in range(len(windows))]

    def _place_waiting(self) -> None:
        """Begin the search of waiting windows in idle slots."""
        count = min(len(self.idle), len(self.waiting))
        if count:
            slots = [self.idle.pop() for _ in range(count)]
            placed = [self.waiting.popleft() for _ in range(count)]
            windows = [window for _, window in placed]
            sources, prefixes = [w.source for w in windows], [w.prefix for w in windows]
            states = [window.state for window in windows]
            self.decoder.place(slots, sources, prefixes, _limits(windows), states)
            self.active.update((slot, key) for slot, (key, _) in zip(slots, placed, strict=True))

    def _check(self, window: Window) -> None:
        source, target = self.decoder.limits
        if len(window.source) > source or window.max_tokens > target:
            raise WindowError(
                f"A window has {len(window.source)} source tokens and may have "
                f"{window.max_tokens} new ones, but the limits are {source} and {target}."
            )


def _limits(windows: Sequence[Window]) -> Limits:
    """The length limits of windows, with NO_SEPARATORS where the first separator ends a window."""
    separators = (w.separators if w.separators is not None else NO_SEPARATORS for w in windows)
    return Limits(
        np.array([window.min_tokens for window in windows]),
        np.array([window.max_tokens for window in windows]),
        np.array(list(separators)),
    )


def idle_decoder(runtime: TorchRuntime, search: SearchConfig, slots: int) -> DeviceDecoder:
    """A decoder without pending windows, from the cache where possible.

    A cached decoder keeps its captured graphs and the weights of its first use: a model that was
    trained since then needs a new runtime.
    """
    cached = _DECODERS.setdefault(runtime, [])
    for decoder in cached:
        if not decoder.pending and (decoder.config, decoder.slots) == (search, slots):
            return decoder
    cached.append(DeviceDecoder(runtime.model, search=search, slots=slots))
    del cached[:-MAX_CACHED_DECODERS]
    return cached[-1]
