"""States of a fixed number of windows on a device: encoded sources and decoded targets.

B slots, K beams, R = B K rows, W windows, N source tokens, H heads, E head size.

Every tensor keeps its address, so that a captured step can use it. A window is written into an idle
slot and overwrites the window before it. An RFA state has the same size for every text; the KV
cache of softmax attention has a capacity in buckets and is reallocated only when it must grow.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from longways.attention.layers import CrossMemory
from longways.attention.rfa.cross import JointSums
from longways.attention.softmax import KVMemory
from longways.attention.state import (
    CausalRFAState,
    CausalState,
    GateState,
    KVState,
    RFAState,
    StreamCausalState,
)
from longways.attention.stream.memory import SentenceMemory
from longways.decoding.gpu.bucketed_cache import BucketedCache, bucket_capacity
from longways.decoding.gpu.decoder_layer import KVCache, LayerState, StreamLayerState
from longways.model.decoder import Memory, State
from longways.model.stream.model import StreamModel
from longways.model.translation import TranslationModel


class Slots:
    """The encoder memory and the decoder state of every slot, layer by layer.

    KV caches start with capacity for `source` and `target` tokens; a prefix counts as target.
    """

    def __init__(
        self, model: TranslationModel, slots: int, beams: int, source: int, target: int
    ) -> None:
        self.count, self.beams, self.reallocations = slots, beams, 0
        self.max_tokens = model.config.positions
        self.device = model.decoder.embedding.tokens.weight.device
        self._beams = torch.arange(beams, device=self.device)
        initial = _before_the_first_token(model, self.device)
        capacity = bucket_capacity(source, self.max_tokens)
        self._memory = [_memory_of_slots(one, slots, capacity) for one in initial.memory.layers]
        self._initial = initial.layers
        capacity = bucket_capacity(target, self.max_tokens)
        self._states = [_state_of_rows(one, slots * beams, capacity) for one in self._initial]

    @property
    def memory(self) -> list[CrossMemory]:
        """The encoded sources, layer by layer."""
        views = _SourceCache | _SentenceSlots
        return [one.memory if isinstance(one, views) else one for one in self._memory]

    @property
    def states(self) -> list[LayerState]:
        """The decoder states, layer by layer."""
        views = _TargetCache | _StreamRows
        return [one.state if isinstance(one, views) else one for one in self._states]

    def resize(self, source: int, target: int) -> tuple[int, int, int]:
        """Give the KV caches capacity for these numbers of source and target tokens.

        Returns the two capacities (0 where no layer has a KV cache) and the number of
        reallocations so far. While these three numbers are the same, no tensor has moved.
        """
        capacities = self._resize(self._memory, source), self._resize(self._states, target)
        return *capacities, self.reallocations

    def _resize(self, layers: Sequence[object], tokens: int) -> int:
        groups = _SentenceSlots | _StreamRows
        parts = (layer.cache if isinstance(layer, groups) else layer for layer in layers)
        caches = [part for part in parts if isinstance(part, _SourceCache | _TargetCache)]
        capacity = bucket_capacity(tokens, self.max_tokens) if caches else 0
        self.reallocations += not all(cache.keys.can_hold(capacity) for cache in caches)
        for cache in caches:
            cache.resize(capacity)
        return capacity

    def put(self, slots: Tensor, memory: Memory, state: State | None) -> None:
        """Write windows into `slots` (W,); all beams of a window start from its row of `state`.

        Without a state the targets start empty.
        """
        rows = (slots[:, None] * self.beams + self._beams).flatten()
        for stored, new_memory in zip(self._memory, memory.layers, strict=True):
            _put_memory(stored, slots, new_memory)
        new_states = state.layers if state else self._initial
        for past, new_state in zip(self._states, new_states, strict=True):
            _put_state(past, rows, new_state, self.beams if state else 1)

    @property
    def mutable_tensors(self) -> list[Tensor]:
        """Every tensor that a decoding step changes."""
        return [tensor for state in self.states for tensor in _tensors(state)]

    def store(self, states: list[LayerState]) -> None:
        """Copy the states after a step into the slots, except tensors updated in place."""
        for stored, state in zip(self.states, states, strict=True):
            for into, tensor in zip(_tensors(stored), _tensors(state), strict=True):
                if into is not tensor:
                    into.copy_(tensor)


class _SourceCache:
    """Keys and values of sources, and a mask of padding."""

    def __init__(self, like: KVMemory, slots: int, capacity: int) -> None:
        self.keys, self.values = (
            BucketedCache(one, slots, capacity) for one in (like.keys, like.values)
        )
        self.bias = BucketedCache(like.keys[:, :1, :, :1], slots, capacity)  # 0 or -infinity

    @property
    def memory(self) -> KVMemory:
        return KVMemory(self.keys.tokens, self.values.tokens, self.bias.tokens.mT)

    def resize(self, capacity: int) -> None:
        before = self.bias.tokens.shape[2]
        for one in (self.keys, self.values, self.bias):
            one.resize(capacity)
        self.bias.tokens[:, :, before:] = -torch.inf

    def put(self, slots: Tensor, memory: KVMemory) -> None:
        tokens = memory.keys.shape[2]
        self.keys.tokens[slots, :, :tokens] = memory.keys
        self.values.tokens[slots, :, :tokens] = memory.values
        bias = self.bias.tokens
        bias[slots] = -torch.inf
        mask = bias.new_zeros(memory.mask.shape).masked_fill(~memory.mask, -torch.inf)
        bias[slots, 0, :tokens, 0] = mask


class _TargetCache:
    """Keys and values of targets."""

    def __init__(self, like: KVState, rows: int, capacity: int) -> None:
        self.keys, self.values = (
            BucketedCache(one, rows, capacity) for one in (like.keys, like.values)
        )

    @property
    def state(self) -> KVCache:
        return KVCache(self.keys.tokens, self.values.tokens)

    def resize(self, capacity: int) -> None:
        self.keys.resize(capacity)
        self.values.resize(capacity)

    def put(self, rows: Tensor, state: KVState, beams: int) -> None:
        tokens = state.longest
        for cache, side in ((self.keys, state.keys), (self.values, state.values)):
            cache.tokens[rows, :, :tokens] = side[:, :, :tokens].repeat_interleave(beams, 0)


class _SentenceSlots:
    """Source sentences of stream models: keys and values, and the sums up to each sentence."""

    def __init__(self, like: SentenceMemory, slots: int, capacity: int) -> None:
        self.cache = _SourceCache(like.sentence, slots, capacity)
        self.sums = RFAState(_zeros(like.sums.S, slots), _zeros(like.sums.z, slots))

    @property
    def memory(self) -> SentenceMemory:
        return SentenceMemory(self.cache.memory, self.sums)

    def put(self, slots: Tensor, memory: SentenceMemory) -> None:
        self.cache.put(slots, memory.sentence)
        self.sums.S[slots], self.sums.z[slots] = memory.sums.S, memory.sums.z


class _StreamRows:
    """Target states of stream models: caches of sentences, and the sums of the sentences before."""

    def __init__(self, like: StreamCausalState, rows: int, capacity: int) -> None:
        self.cache = _TargetCache(like.sentence, rows, capacity)
        self.document = _sums_of_rows(like.document, rows)

    @property
    def state(self) -> StreamLayerState:
        return StreamLayerState(self.cache.state, self.document)

    def put(self, rows: Tensor, state: StreamCausalState, beams: int) -> None:
        self.cache.put(rows, state.sentence, beams)
        _put_state(self.document, rows, state.document, beams)


_Memory = CrossMemory | _SourceCache | _SentenceSlots
_Rows = CausalRFAState | _TargetCache | _StreamRows


def _before_the_first_token(model: TranslationModel, device: torch.device) -> State:
    """The memory and the state of one window whose source is empty."""
    source = torch.full((1, 1), model.config.eos, device=device)
    if isinstance(model, StreamModel):
        return model.start_sentence(model.encode_sentence(source, model.open_documents(1)))
    return model.start(model.encode(source))


def _memory_of_slots(like: CrossMemory, slots: int, capacity: int) -> _Memory:
    """Memory of one layer for all slots."""
    if isinstance(like, SentenceMemory):
        return _SentenceSlots(like, slots, capacity)
    if isinstance(like, RFAState):
        return RFAState(_zeros(like.S, slots), _zeros(like.z, slots))
    if isinstance(like, JointSums):
        return JointSums(_zeros(like.sums, slots))
    assert isinstance(like, KVMemory), "search reads sentences, never windows of a stream model"
    if like.grows:
        return _SourceCache(like, slots, capacity)
    return like.reorder(torch.zeros(slots, dtype=torch.long, device=like.keys.device))


def _state_of_rows(like: CausalState, rows: int, capacity: int) -> _Rows:
    """Decoder state of one layer for all rows."""
    if isinstance(like, StreamCausalState):
        return _StreamRows(like, rows, capacity)
    if isinstance(like, KVState):
        return _TargetCache(like, rows, capacity)
    return _sums_of_rows(like, rows)


def _sums_of_rows(like: CausalRFAState, rows: int) -> CausalRFAState:
    sums = RFAState(_zeros(like.sums.S, rows), _zeros(like.sums.z, rows))
    return CausalRFAState(
        sums, GateState(_zeros(like.gate.keep, rows), _zeros(like.gate.write, rows))
    )


def _zeros(like: Tensor, count: int) -> Tensor:
    return like.new_zeros(count, *like.shape[1:])


def _put_memory(stored: _Memory, slots: Tensor, memory: CrossMemory) -> None:
    if isinstance(stored, _SentenceSlots):
        assert isinstance(memory, SentenceMemory)
        stored.put(slots, memory)
    elif isinstance(stored, _SourceCache):
        assert isinstance(memory, KVMemory)
        stored.put(slots, memory)
    elif isinstance(stored, KVMemory):
        assert isinstance(memory, KVMemory)
        stored.keys[slots], stored.values[slots] = memory.keys, memory.values
    elif isinstance(stored, RFAState):
        assert isinstance(memory, RFAState)
        stored.S[slots], stored.z[slots] = memory.S, memory.z
    else:
        assert isinstance(stored, JointSums)
        assert isinstance(memory, JointSums)
        stored.sums[slots] = memory.sums


def _put_state(stored: _Rows, rows: Tensor, state: CausalState, beams: int) -> None:
    if isinstance(stored, _StreamRows):
        assert isinstance(state, StreamCausalState)
        stored.put(rows, state, beams)
        return
    if isinstance(stored, _TargetCache):
        assert isinstance(state, KVState)
        stored.put(rows, state, beams)
        return
    assert isinstance(state, CausalRFAState)
    for into, tensor in zip(_tensors(stored), _tensors(state), strict=True):
        into[rows] = tensor.repeat_interleave(beams, 0)


def _tensors(state: LayerState) -> tuple[Tensor, ...]:
    if isinstance(state, StreamLayerState):
        return *_tensors(state.sentence), *_tensors(state.document)
    if isinstance(state, KVCache):
        return state.keys, state.values
    return state.sums.S, state.sums.z, state.gate.keep, state.gate.write
