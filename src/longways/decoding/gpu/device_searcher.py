"""Windows searched on a device, in as many slots as there is use for.

A step takes all slots along, busy or not. When documents come to their end and few of them are
left, the next windows go into a decoder with fewer slots, while the larger one finishes.
"""

from __future__ import annotations

from longways.decoding.config import TranslateConfig
from longways.decoding.gpu.device_decoder import DeviceDecoder, idle_decoder
from longways.decoding.searcher import Found
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window

STEP = 4
"""By how much sizes differ: each has graphs of its own, which take a moment to capture."""


class DeviceSearcher:
    """Decoders of one engine: the last of them takes what is submitted, others only finish."""

    def __init__(self, runtime: TorchRuntime, config: TranslateConfig) -> None:
        self.runtime, self.config = runtime, config
        self.decoders: list[DeviceDecoder] = []

    @property
    def pending(self) -> int:
        """Windows that were submitted and are not done."""
        return sum(decoder.pending for decoder in self.decoders)

    def expect(self, most: int) -> None:
        """Have slots for so many windows at once, or as many as there may be."""
        slots = enough_slots(most, self.config.windows)
        if not self.decoders or self.decoders[-1].slots != slots:
            self.decoders.append(idle_decoder(self.runtime, self.config.search, slots))
            self._forget_those_done()

    def submit(self, key: int, window: Window) -> None:
        """Have a window searched, as soon as there is a slot."""
        if not self.decoders:
            self.expect(self.config.windows)
        self.decoders[-1].submit(key, window)

    def wait(self) -> list[tuple[int, Found]]:
        """Go on until some windows are done: those, and what was found for them."""
        while self.pending:
            done = [one for decoder in self.decoders for one in decoder.advance()]
            self._forget_those_done()
            if done:
                return done
        return []

    def _forget_those_done(self) -> None:
        *others, last = self.decoders
        self.decoders = [*(decoder for decoder in others if decoder.pending), last]


def enough_slots(windows: int, most: int) -> int:
    """The least size that so many windows fit in: 1, 4, 16, ..., and at most `most`."""
    slots = 1
    while slots < windows:
        slots *= STEP
    return min(slots, most)
