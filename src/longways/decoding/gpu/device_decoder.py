"""Decoding that stays on its device: many windows side by side, searched where they are computed.

Windows are searched in a fixed number of slots; one that is done makes room for the next. The host
looks at what is done only once every few steps.
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

MOST_KEPT = 4
"""Decoders of an engine that are kept: of several sizes, and one that mends what was found."""

_KEPT: WeakKeyDictionary[TorchRuntime, list[DeviceDecoder]] = WeakKeyDictionary()


class DeviceDecoder:
    """A model that searches windows as they come, each known by a number.

    `source` tokens of a window and `target` new tokens at most, by default as many as the model
    has positions for; a prefix counts besides.
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
        self.steps = CapturedDecoder(model, self.config, slots, source, target)
        self.waiting: deque[tuple[int, Window]] = deque()
        self.busy: dict[int, int] = {}
        self.idle = list(range(slots))

    @property
    def pending(self) -> int:
        """Windows that were submitted and are not done."""
        return len(self.waiting) + len(self.busy)

    def submit(self, key: int, window: Window) -> None:
        """Have a window searched, as soon as there is a slot."""
        self._check(window)
        self.waiting.append((key, window))

    def wait(self) -> list[tuple[int, list[Hypothesis]]]:
        """Go on until some windows are done: their hypotheses, the best first."""
        while self.pending:
            if done := self.advance():
                return done
        return []

    def advance(self) -> list[tuple[int, list[Hypothesis]]]:
        """Take a few steps, if there is anything to do: the windows that are done by now."""
        if not self.pending:
            return []
        self._seat()
        done = [slot for slot in self.steps.advance() if slot in self.busy]
        if not done:
            return []
        found = self.steps.take(done).results(self.config)
        self.idle += done
        return [(self.busy.pop(slot), one) for slot, one in zip(done, found, strict=True)]

    def decode(self, windows: Sequence[Window]) -> list[list[Hypothesis]]:
        """The hypotheses of every window; the decoder must have nothing else to do."""
        assert not self.pending, "other windows are still searched"
        for number, window in enumerate(windows):
            self.submit(number, window)
        found: dict[int, list[Hypothesis]] = {}
        while self.pending:
            found.update(self.wait())
        return [found[number] for number in range(len(windows))]

    def _seat(self) -> None:
        """Give waiting windows the slots that are idle."""
        count = min(len(self.idle), len(self.waiting))
        if count:
            slots = [self.idle.pop() for _ in range(count)]
            seated = [self.waiting.popleft() for _ in range(count)]
            windows = [window for _, window in seated]
            sources, prefixes = [w.source for w in windows], [w.prefix for w in windows]
            self.steps.place(slots, sources, prefixes, _limits(windows))
            self.busy.update((slot, key) for slot, (key, _) in zip(slots, seated, strict=True))

    def _check(self, window: Window) -> None:
        source, target = self.steps.limits
        if len(window.source) > source or window.max_tokens > target:
            raise WindowError(
                f"A window has {len(window.source)} source tokens and may have "
                f"{window.max_tokens} new ones, but the decoder has room for {source} and {target}."
            )


def _limits(windows: Sequence[Window]) -> Limits:
    """With all kinds of windows side by side."""
    separators = (w.separators if w.separators is not None else NO_SEPARATORS for w in windows)
    return Limits(
        np.array([window.min_tokens for window in windows]),
        np.array([window.max_tokens for window in windows]),
        np.array(list(separators)),
    )


def idle_decoder(runtime: TorchRuntime, search: SearchConfig, slots: int) -> DeviceDecoder:
    """One that has nothing to do: what was captured for earlier windows serves the next.

    It has the weights that the model had when its engine was first asked: a model that has learned
    since needs a new engine.
    """
    kept = _KEPT.setdefault(runtime, [])
    for decoder in kept:
        if not decoder.pending and (decoder.config, decoder.slots) == (search, slots):
            return decoder
    kept.append(DeviceDecoder(runtime.model, search=search, slots=slots))
    del kept[:-MOST_KEPT]
    return kept[-1]
