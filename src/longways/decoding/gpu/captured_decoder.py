"""Steps of model and search on a device, a few of them captured together and replayed.

B slots, K beams, R = B K rows, C candidates.

On a GPU they are CUDA graphs: one for RFA, whose shapes never change, and one for each bucket of
lengths where keys and values are kept. On a CPU the same steps run one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from longways.decoding.beam_search import Limits, SearchConfig
from longways.decoding.gpu.decoder_layer import Cache, LayerStep
from longways.decoding.gpu.device_beam_search import DeviceSearch, Newcomers
from longways.decoding.gpu.device_results import DeviceResults
from longways.decoding.gpu.fused_decoder import FusedDecoder
from longways.decoding.gpu.next_token import Read, Reading, choose, read_tokens
from longways.decoding.gpu.slots import Slots
from longways.decoding.gpu.source_encoder import SourceEncoder
from longways.decoding.runtime import FORBIDDEN, Tokens, pad_rows
from longways.model.translation import TranslationModel

STEPS = 8
"""Steps that are taken together; only between them the host hears what is done."""


READ_AT_ONCE = 65_536
"""Source tokens, padding included, that are read together, and whose keys and values of all layers
are in memory together. The device reads them while the host prepares the next; of fewer it would
wait for the host, to which every part is as much work."""


class CapturedDecoder:
    """The slots of a decoder, and how they advance."""

    def __init__(
        self,
        model: TranslationModel,
        config: SearchConfig,
        slots: int,
        source: int | None,
        target: int | None,
    ) -> None:
        self.model, positions = model.eval(), model.config.positions
        self.limits = min(source or positions, positions), min(target or positions, positions)
        with torch.inference_mode():
            self.decoder, self.reader = FusedDecoder(model), SourceEncoder(model)
            self.slots = Slots(model, slots, config.beams, source or 1, (target or 0) + 1 + STEPS)
            self.device = self.slots.device
            self.search = DeviceSearch(slots, self.limits[1], config, self.device)
            self.offsets = torch.zeros(slots, dtype=torch.long, device=self.device)
            words = model.config.target_vocabulary
            self.forbidden = torch.tensor([t for t in FORBIDDEN if t < words], device=self.device)
        self.graphs: dict[tuple[int, int, int], Callable[[], None]] = {}
        self.pool: Any = None
        self.sources, self.reached = [1] * slots, [0] * slots
        self.glance, self.placed = StatusSnapshot(self.search.lives), set[int]()

    def place(
        self,
        slots: Sequence[int],
        sources: Sequence[Sequence[int]],
        prefixes: Sequence[Sequence[int]],
        limits: Limits,
    ) -> None:
        """Read the sources and prefixes of windows, and begin their search in idle slots."""
        for slot, source, prefix in zip(slots, sources, prefixes, strict=True):
            self.sources[slot], self.reached[slot] = len(source), len(prefix) - 1
        self.placed.update(slots)
        with torch.inference_mode():
            self._fit()
            new = self._newcomers(slots, prefixes, limits)
            self.search.place(new)
            for part in _parts(sources):
                self._read(new.slots[part], sources[part], prefixes[part])

    def _read(
        self, slots: Tensor, sources: Sequence[Sequence[int]], prefixes: Sequence[Sequence[int]]
    ) -> None:
        """Read the sources and prefixes of windows into slots (W,)."""
        read, padded = pad_rows([p[:-1] for p in prefixes]), len(set(map(len, sources))) > 1
        memory = self.reader.read(self._tensor(pad_rows(sources)), padded=padded)
        state = self.model.start(memory, self._tensor(read)) if read.size else None
        self.slots.put(slots, memory, state)
        if state is None:
            self.offsets.index_fill_(0, slots, 0)
        else:
            self.offsets[slots] = state.positions

    def advance(self) -> list[int]:
        """Take a few steps in all slots: those that were idle before these steps.

        The device has work while the host looks, so the host looks at what was before.
        """
        with torch.inference_mode():
            room = self._fit()
            if any(room[-1] != moves for *_, moves in self.graphs):
                self.graphs.clear()  # what they work on has moved
                self.pool = None
            if room not in self.graphs:
                self.graphs[room] = self._captured()
            self.graphs[room]()
            before, self.glance = self.glance, StatusSnapshot(self.search.lives)
        self.reached = [tokens + STEPS for tokens in self.reached]
        since, self.placed = self.placed, set()
        return [slot for slot in before.idle() if slot not in since]

    def take(self, slots: Sequence[int]) -> DeviceResults:
        """What the search in some slots has come to, which are idle from now on."""
        for slot in slots:
            self.sources[slot], self.reached[slot] = 1, 0
        with torch.inference_mode():
            return self.search.logs(slots)

    def take_steps(self) -> None:
        """What is captured: every operation is enqueued, and nothing waits for the device."""
        pasts, reading = self.slots.pasts, self._reading()
        read = read_tokens(self.search, reading)
        for _ in range(STEPS):
            turn = self._turn(read, reading.last + 1)
            hidden, pasts = self.decoder.step(read.x, pasts, self.slots.memory, turn)
            read = choose(hidden, self.decoder.words, self.search, self.forbidden, reading)
        self.slots.keep(pasts)

    def _reading(self) -> Reading:
        """A row that is idle stands still, inside of the room there is."""
        rooms = [past.keys.shape[2] for past in self.slots.pasts if isinstance(past, Cache)]
        last = (rooms[0] if rooms else self.model.config.positions) - 1
        return Reading(self.decoder.embedding, self.offsets, last)

    def _turn(self, read: Read, room: int) -> LayerStep:
        """Where the tokens to be read stand."""
        search, caches = self.search, [p for p in self.slots.pasts if isinstance(p, Cache)]
        parents = search.parents.flatten() if search.config.beams > 1 else None
        visible = _visible(read.positions, room, caches[0].keys.dtype) if caches else None
        return LayerStep(read.separators, read.positions, parents, visible)

    def _fit(self) -> tuple[int, int, int]:
        """Room for all that is read in the next steps."""
        return self.slots.fit(max(self.sources), max(self.reached) + STEPS)

    def _captured(self) -> Callable[[], None]:
        if self.device.type != "cuda":
            return self.take_steps
        if not self.graphs:
            self._compile()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            self.take_steps()
        self.pool = graph.pool()  # nothing in it outlives a replay, so all graphs may share it
        return graph.replay

    def _compile(self) -> None:
        """Take the steps once for nothing: what is compiled or allocated at first is then there."""
        kept = [tensor.clone() for tensor in self._changed()]
        self.take_steps()
        for tensor, before in zip(self._changed(), kept, strict=True):
            tensor.copy_(before)

    def _changed(self) -> list[Tensor]:
        """All that steps change."""
        return [*self.search.changing, *self.slots.changing]

    def _newcomers(
        self, slots: Sequence[int], prefixes: Sequence[Sequence[int]], limits: Limits
    ) -> Newcomers:
        assert limits.separators is not None
        first = [prefix[-1] for prefix in prefixes]
        facts = zip(
            slots, first, limits.min_tokens, limits.max_tokens, limits.separators, strict=True
        )
        return Newcomers(*self._tensor(np.array(list(facts), np.int64)).T)

    def _tensor(self, array: Tokens) -> Tensor:
        """Sent without waiting for what the device does, which only pinned memory is."""
        tensor = torch.from_numpy(array)
        if self.device.type != "cuda":
            return tensor
        return tensor.pin_memory().to(self.device, non_blocking=True)


def _parts(sources: Sequence[Sequence[int]]) -> list[slice]:
    """Windows that are read together, all of them if they are short."""
    together = max(1, READ_AT_ONCE // max(map(len, sources)))
    return [slice(start, start + together) for start in range(0, len(sources), together)]


def _visible(positions: Tensor, room: int, dtype: torch.dtype) -> Tensor:
    """(R, 1, 1, N): 0 up to the token itself, minus infinity after it."""
    after = torch.arange(room, device=positions.device) > positions[:, None]
    hidden = torch.zeros_like(after, dtype=dtype)
    return hidden.masked_fill_(after, -torch.inf)[:, None, None]


class StatusSnapshot:
    """Which slots live at this point of the device's work, to be known when it comes there."""

    def __init__(self, lives: Tensor) -> None:
        self.event: torch.cuda.Event | None = None
        if not lives.is_cuda:
            self.lives = lives.clone()
            return
        self.lives = torch.empty_like(lives, device="cpu", pin_memory=True)
        self.lives.copy_(lives, non_blocking=True)
        self.event = torch.cuda.Event()
        self.event.record()

    def idle(self) -> list[int]:
        """Those that do not live."""
        if self.event is not None:
            self.event.synchronize()
        return [slot for slot, is_busy in enumerate(self.lives.tolist()) if not is_busy]
