"""Decoding steps of model and search on a device, captured as CUDA graphs and replayed.

B slots, K beams, R = B K rows, C candidates.

RFA has one graph, since its shapes never change; a model with KV caches has one graph for each
bucket of lengths. On a CPU the same steps run without a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from longways.decoding.beam_search import Limits, SearchConfig
from longways.decoding.gpu.decoder_layer import KVCache, StepInput, cache_of
from longways.decoding.gpu.device_beam_search import DeviceSearch, NewWindows
from longways.decoding.gpu.device_results import DeviceResults
from longways.decoding.gpu.fused_decoder import FusedDecoder
from longways.decoding.gpu.next_token import (
    EmbeddedTokens,
    TokenEmbedding,
    embed_tokens,
    next_tokens,
)
from longways.decoding.gpu.slots import Slots
from longways.decoding.gpu.source_encoder import SourceEncoder
from longways.decoding.runtime import FORBIDDEN, Tokens, pad_rows
from longways.decoding.stream_states import join
from longways.model.decoder import Memory, State
from longways.model.stream.model import StreamModel
from longways.model.translation import TranslationModel

STEPS_PER_GRAPH = 8
"""Steps in one graph; the host reads the status of the slots only between graphs."""


ENCODER_BATCH_TOKENS = 65_536
"""Source tokens, padding included, that are encoded in one batch.

It bounds the memory for the keys and values of all layers. In smaller batches the device would wait
for the host, whose work per batch is the same for every size.
"""


class CapturedDecoder:
    """The slots of a decoder, and the graphs that advance them."""

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
            self.decoder, self.encoder = FusedDecoder(model), SourceEncoder(model)
            target_capacity = (target or 0) + 1 + STEPS_PER_GRAPH
            self.slots = Slots(model, slots, config.beams, source or 1, target_capacity)
            self.device = self.slots.device
            self.search = DeviceSearch(slots, self.limits[1], config, self.device)
            self.offsets = torch.zeros(slots, dtype=torch.long, device=self.device)
            words = model.config.target_vocabulary
            self.forbidden = torch.tensor([t for t in FORBIDDEN if t < words], device=self.device)
        self.graphs: dict[tuple[int, int, int], Callable[[], None]] = {}
        self.pool: Any = None
        self.source_lengths, self.target_lengths = [1] * slots, [0] * slots
        self.snapshot, self.newly_placed = StatusSnapshot(self.search.active), set[int]()

    def place(
        self,
        slots: Sequence[int],
        sources: Sequence[Sequence[int]],
        prefixes: Sequence[Sequence[int]],
        limits: Limits,
        documents: Sequence[Any] = (),
    ) -> None:
        """Encode the sources and prefixes of windows, and begin their search in idle slots.

        `documents` are the states before the sentences of a stream model; other models have none.
        """
        for slot, source, prefix in zip(slots, sources, prefixes, strict=True):
            self.source_lengths[slot], self.target_lengths[slot] = len(source), len(prefix) - 1
        self.newly_placed.update(slots)
        with torch.inference_mode():
            self._resize_caches()
            new = self._new_windows(slots, prefixes, limits)
            self.search.place(new)
            for batch in _encoder_batches(sources):
                given = sources[batch], prefixes[batch], documents[batch]
                self._encode(new.slots[batch], *given)

    def _encode(
        self,
        slots: Tensor,
        sources: Sequence[Sequence[int]],
        prefixes: Sequence[Sequence[int]],
        documents: Sequence[Any],
    ) -> None:
        """Encode the sources and prefixes of windows into slots (W,)."""
        prefix = self._tensor(pad_rows([p[:-1] for p in prefixes]))
        memory, state = self._start(sources, prefix, documents)
        self.slots.put(slots, memory, state)
        if state is None or not prefix.numel():
            self.offsets.index_fill_(0, slots, 0)
        else:
            self.offsets[slots] = state.positions

    def _start(
        self, sources: Sequence[Sequence[int]], prefix: Tensor, documents: Sequence[Any]
    ) -> tuple[Memory, State | None]:
        """The memory of windows, and the state after their prefixes (W, P) unless it is empty."""
        source, padded = self._tensor(pad_rows(sources)), len(set(map(len, sources))) > 1
        if isinstance(self.model, StreamModel):
            sentence = self.model.encode_sentence(source, join(documents))
            return sentence.memory, self.model.start_sentence(sentence, prefix)
        memory = self.encoder.encode(source, padded=padded)
        return memory, self.model.start(memory, prefix) if prefix.numel() else None

    def advance(self) -> list[int]:
        """Take a few steps in all slots; return the slots that were idle before these steps.

        The status from before the steps is read, so that the device works while the host waits.
        """
        with torch.inference_mode():
            capacities = self._resize_caches()
            if any(capacities[-1] != reallocations for *_, reallocations in self.graphs):
                self.graphs.clear()  # their tensors were reallocated
                self.pool = None
            if capacities not in self.graphs:
                self.graphs[capacities] = self._captured()
            self.graphs[capacities]()
            before, self.snapshot = self.snapshot, StatusSnapshot(self.search.active)
        self.target_lengths = [tokens + STEPS_PER_GRAPH for tokens in self.target_lengths]
        since, self.newly_placed = self.newly_placed, set()
        return [slot for slot in before.idle() if slot not in since]

    def take(self, slots: Sequence[int]) -> DeviceResults:
        """Copy the search logs of some slots to the host, and mark the slots as idle."""
        for slot in slots:
            self.source_lengths[slot], self.target_lengths[slot] = 1, 0
        with torch.inference_mode():
            return self.search.results(slots)

    def take_steps(self) -> None:
        """The steps that a graph captures: all operations are enqueued, none waits."""
        states, inputs = self.slots.states, self._token_embedding()
        tokens = embed_tokens(self.search, inputs)
        for _ in range(STEPS_PER_GRAPH):
            step = self._step_input(tokens, inputs.last_position + 1)
            hidden, states = self.decoder.step(tokens.x, states, self.slots.memory, step)
            tokens = next_tokens(
                hidden, self.decoder.vocabulary, self.search, self.forbidden, inputs
            )
        self.slots.store(states)

    def _token_embedding(self) -> TokenEmbedding:
        """How tokens are embedded; idle rows stay at the last position that a cache holds."""
        caches = self._caches()
        tokens = caches[0].keys.shape[2] if caches else self.model.config.positions
        return TokenEmbedding(self.decoder.embedding, self.offsets, tokens - 1)

    def _step_input(self, tokens: EmbeddedTokens, capacity: int) -> StepInput:
        """Input of all layers for a step; KV caches need the attention bias."""
        search = self.search
        caches = self._caches()
        parents = search.parents.flatten() if search.config.beams > 1 else None
        bias = _causal_bias(tokens.positions, capacity, caches[0].keys.dtype) if caches else None
        return StepInput(tokens.separators, tokens.positions, parents, bias)

    def _caches(self) -> list[KVCache]:
        """The KV caches of all layers that have one."""
        return [cache for state in self.slots.states if (cache := cache_of(state))]

    def _resize_caches(self) -> tuple[int, int, int]:
        """Give the KV caches capacity for the next steps."""
        longest_target = max(self.target_lengths) + STEPS_PER_GRAPH
        return self.slots.resize(max(self.source_lengths), longest_target)

    def _captured(self) -> Callable[[], None]:
        if self.device.type != "cuda":
            return self.take_steps
        if not self.graphs:
            self._warm_up()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            self.take_steps()
        self.pool = graph.pool()  # no tensor in it outlives a replay, so all graphs can share it
        return graph.replay

    def _warm_up(self) -> None:
        """Take the steps once and undo them, so that kernels are compiled before the capture."""
        mutable = [*self.search.mutable_tensors, *self.slots.mutable_tensors]
        before = [tensor.clone() for tensor in mutable]
        self.take_steps()
        for tensor, copy in zip(mutable, before, strict=True):
            tensor.copy_(copy)

    def _new_windows(
        self, slots: Sequence[int], prefixes: Sequence[Sequence[int]], limits: Limits
    ) -> NewWindows:
        assert limits.separators is not None
        first = [prefix[-1] for prefix in prefixes]
        columns = zip(
            slots, first, limits.min_tokens, limits.max_tokens, limits.separators, strict=True
        )
        return NewWindows(*self._tensor(np.array(list(columns), np.int64)).T)

    def _tensor(self, array: Tokens) -> Tensor:
        """Copy an array to the device; pinned memory is copied without waiting for the device."""
        tensor = torch.from_numpy(array)
        if self.device.type != "cuda":
            return tensor
        return tensor.pin_memory().to(self.device, non_blocking=True)


def _encoder_batches(sources: Sequence[Sequence[int]]) -> list[slice]:
    """Consecutive windows that are encoded in one batch."""
    windows = max(1, ENCODER_BATCH_TOKENS // max(map(len, sources)))
    return [slice(start, start + windows) for start in range(0, len(sources), windows)]


def _causal_bias(positions: Tensor, capacity: int, dtype: torch.dtype) -> Tensor:
    """(R, 1, 1, N): 0 up to the position of each row, minus infinity after it."""
    after = torch.arange(capacity, device=positions.device) > positions[:, None]
    bias = torch.zeros_like(after, dtype=dtype)
    return bias.masked_fill_(after, -torch.inf)[:, None, None]


class StatusSnapshot:
    """Asynchronous copy of which slots are active at this point of the device's work."""

    def __init__(self, active: Tensor) -> None:
        self.event: torch.cuda.Event | None = None
        if not active.is_cuda:
            self.active = active.clone()
            return
        self.active = torch.empty_like(active, device="cpu", pin_memory=True)
        self.active.copy_(active, non_blocking=True)
        self.event = torch.cuda.Event()
        self.event.record()

    def idle(self) -> list[int]:
        """Idle slots, as soon as the device has reached the snapshot."""
        if self.event is not None:
            self.event.synchronize()
        return [slot for slot, is_active in enumerate(self.active.tolist()) if not is_active]
