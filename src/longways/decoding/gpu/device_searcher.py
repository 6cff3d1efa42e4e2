"""Search on a device with as many slots as there are windows to search.

A step computes all slots, active or idle. When few documents are left, new windows go to a decoder
with fewer slots, while the larger decoder finishes its windows.
"""

from __future__ import annotations

from longways.decoding.config import TranslateConfig
from longways.decoding.gpu.device_decoder import DeviceDecoder, idle_decoder
from longways.decoding.searcher import Found
from longways.decoding.stream import StreamRuntime
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window

SLOTS_FACTOR = 4
"""Ratio of one number of slots to the next; few sizes, since each size captures its own graphs."""


class DeviceSearcher:
    """Decoders of one runtime: the last takes new windows, the others only finish theirs."""

    def __init__(self, runtime: TorchRuntime, config: TranslateConfig) -> None:
        self.runtime, self.config = runtime, config
        self.decoders: list[DeviceDecoder] = []

    @property
    def pending(self) -> int:
        """Number of submitted windows that are not finished."""
        return sum(decoder.pending for decoder in self.decoders)

    def expect(self, most: int) -> None:
        """Choose a decoder with slots for `most` windows at once, up to the configured limit."""
        slots = slots_for(most, self.config.windows)
        if not self.decoders or self.decoders[-1].slots != slots:
            self.decoders.append(idle_decoder(self.runtime, self.config.search, slots))
            self._drop_idle_decoders()

    def submit(self, key: int, window: Window) -> None:
        """Queue a window; its search begins when a slot is idle."""
        if not self.decoders:
            self.expect(self.config.windows)
        if window.state is None and isinstance(self.runtime, StreamRuntime):
            window = window._replace(state=self.runtime.open_document())
        self.decoders[-1].submit(key, window)

    def wait(self) -> list[tuple[int, Found]]:
        """Run until some windows are finished; return their keys and hypotheses."""
        while self.pending:
            done = [one for decoder in self.decoders for one in decoder.advance()]
            self._drop_idle_decoders()
            if done:
                return done
        return []

    def _drop_idle_decoders(self) -> None:
        *others, last = self.decoders
        self.decoders = [*(decoder for decoder in others if decoder.pending), last]


def slots_for(windows: int, limit: int) -> int:
    """The smallest of 1, 4, 16, ... that is at least `windows`, and at most `limit`."""
    slots = 1
    while slots < windows:
        slots *= SLOTS_FACTOR
    return min(slots, limit)
