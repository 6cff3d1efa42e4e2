"""Room for a fixed number of windows on a device: their sources, and their targets so far.

B slots, K beams, R = B K rows, W windows, N source tokens, H heads, E head size.

Every tensor stays where it is, so that a captured step finds it. A window is put into a slot that
is idle; what lay there before is overwritten. RFA needs the same room whatever the text; softmax
attention is given it in buckets, and in larger memory only when it must be.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from longways.attention.layers import CrossMemory
from longways.attention.rfa.cross import JointSums
from longways.attention.softmax import KVMemory
from longways.attention.state import CausalRFAState, CausalState, GateState, KVState, RFAState
from longways.decoding.gpu.bucketed_cache import BucketedCache, bucket
from longways.decoding.gpu.decoder_layer import Cache, Past
from longways.model.decoder import Memory, State
from longways.model.translation import TranslationModel


class Slots:
    """The memory and the past of every slot, layer by layer.

    Softmax attention begins with room for `source` and `target` tokens, a prefix included.
    """

    def __init__(
        self, model: TranslationModel, slots: int, beams: int, source: int, target: int
    ) -> None:
        self.count, self.beams, self.moves = slots, beams, 0
        self.most = model.config.positions
        self.device = model.decoder.embedding.tokens.weight.device
        self._beams = torch.arange(beams, device=self.device)
        nothing = torch.full((1, 1), model.config.eos, device=self.device)
        memory = model.encode(nothing)
        self._memory = [
            _memory_room(one, slots, bucket(source, self.most)) for one in memory.layers
        ]
        self._nothing, room = model.start(memory).layers, bucket(target, self.most)
        self._pasts = [_past_room(one, slots * beams, room) for one in self._nothing]

    @property
    def memory(self) -> list[CrossMemory]:
        """What is known of the sources."""
        return [one.memory if isinstance(one, _Sources) else one for one in self._memory]

    @property
    def pasts(self) -> list[Past]:
        """What is known of the targets."""
        return [one.cache if isinstance(one, _Targets) else one for one in self._pasts]

    def fit(self, source: int, target: int) -> tuple[int, int, int]:
        """Make room for so many tokens of either side.

        The buckets, 0 where all is one, and how often memory had to be replaced by larger: with
        the same numbers, every tensor is where it was.
        """
        rooms = self._fit_all(self._memory, source), self._fit_all(self._pasts, target)
        return *rooms, self.moves

    def _fit_all(self, layers: Sequence[object], tokens: int) -> int:
        growing = [layer for layer in layers if isinstance(layer, _Sources | _Targets)]
        room = bucket(tokens, self.most) if growing else 0
        self.moves += not all(layer.keys.holds(room) for layer in growing)
        for layer in growing:
            layer.fit(room)
        return room

    def put(self, slots: Tensor, memory: Memory, state: State | None) -> None:
        """Windows, one row of `state` each, into `slots` (W,): every beam begins alike.

        Without a state nothing has been read of their targets.
        """
        rows = (slots[:, None] * self.beams + self._beams).flatten()
        for room, known in zip(self._memory, memory.layers, strict=True):
            _put_memory(room, slots, known)
        for past, fresh in zip(self._pasts, state.layers if state else self._nothing, strict=True):
            _put_past(past, rows, fresh, self.beams if state else 1)

    @property
    def changing(self) -> list[Tensor]:
        """All that a step changes."""
        return [tensor for past in self.pasts for tensor in _tensors(past)]

    def keep(self, pasts: list[Past]) -> None:
        """Take over what a step has made, where it is not in place already."""
        for room, past in zip(self.pasts, pasts, strict=True):
            for into, tensor in zip(_tensors(room), _tensors(past), strict=True):
                if into is not tensor:
                    into.copy_(tensor)


class _Sources:
    """Keys and values of sources, and which of them are there."""

    def __init__(self, like: KVMemory, slots: int, room: int) -> None:
        self.keys, self.values = (
            BucketedCache(one, slots, room) for one in (like.keys, like.values)
        )
        self.hidden = BucketedCache(like.keys[:, :1, :, :1], slots, room)  # 0, or minus infinity

    @property
    def memory(self) -> KVMemory:
        return KVMemory(self.keys.tokens, self.values.tokens, self.hidden.tokens.mT)

    def fit(self, room: int) -> None:
        held = self.hidden.tokens.shape[2]
        for one in (self.keys, self.values, self.hidden):
            one.fit(room)
        self.hidden.tokens[:, :, held:] = -torch.inf

    def put(self, slots: Tensor, known: KVMemory) -> None:
        tokens = known.keys.shape[2]
        self.keys.tokens[slots, :, :tokens] = known.keys
        self.values.tokens[slots, :, :tokens] = known.values
        hidden = self.hidden.tokens
        hidden[slots] = -torch.inf
        mask = hidden.new_zeros(known.mask.shape).masked_fill(~known.mask, -torch.inf)
        hidden[slots, 0, :tokens, 0] = mask


class _Targets:
    """Keys and values of targets."""

    def __init__(self, like: KVState, rows: int, room: int) -> None:
        self.keys, self.values = (
            BucketedCache(one, rows, room) for one in (like.keys, like.values)
        )

    @property
    def cache(self) -> Cache:
        return Cache(self.keys.tokens, self.values.tokens)

    def fit(self, room: int) -> None:
        self.keys.fit(room)
        self.values.fit(room)

    def put(self, rows: Tensor, fresh: KVState, beams: int) -> None:
        held = fresh.longest
        for room, side in ((self.keys, fresh.keys), (self.values, fresh.values)):
            room.tokens[rows, :, :held] = side[:, :, :held].repeat_interleave(beams, 0)


def _memory_room(like: CrossMemory, slots: int, room: int) -> CrossMemory | _Sources:
    if isinstance(like, RFAState):
        return RFAState(_zeros(like.S, slots), _zeros(like.z, slots))
    if isinstance(like, JointSums):
        return JointSums(_zeros(like.sums, slots))
    if like.grows:
        return _Sources(like, slots, room)
    return like.reorder(torch.zeros(slots, dtype=torch.long, device=like.keys.device))


def _past_room(like: CausalState, rows: int, room: int) -> CausalRFAState | _Targets:
    if isinstance(like, KVState):
        return _Targets(like, rows, room)
    sums = RFAState(_zeros(like.sums.S, rows), _zeros(like.sums.z, rows))
    return CausalRFAState(
        sums, GateState(_zeros(like.gate.keep, rows), _zeros(like.gate.write, rows))
    )


def _zeros(like: Tensor, count: int) -> Tensor:
    return like.new_zeros(count, *like.shape[1:])


def _put_memory(room: CrossMemory | _Sources, slots: Tensor, known: CrossMemory) -> None:
    if isinstance(room, _Sources):
        assert isinstance(known, KVMemory)
        room.put(slots, known)
    elif isinstance(room, KVMemory):
        assert isinstance(known, KVMemory)
        room.keys[slots], room.values[slots] = known.keys, known.values
    elif isinstance(room, RFAState):
        assert isinstance(known, RFAState)
        room.S[slots], room.z[slots] = known.S, known.z
    else:
        assert isinstance(known, JointSums)
        room.sums[slots] = known.sums


def _put_past(
    past: CausalRFAState | _Targets, rows: Tensor, fresh: CausalState, beams: int
) -> None:
    if isinstance(past, _Targets):
        assert isinstance(fresh, KVState)
        past.put(rows, fresh, beams)
        return
    assert isinstance(fresh, CausalRFAState)
    for into, tensor in zip(_tensors(past), _tensors(fresh), strict=True):
        into[rows] = tensor.repeat_interleave(beams, 0)


def _tensors(past: Past) -> tuple[Tensor, ...]:
    if isinstance(past, Cache):
        return past.keys, past.values
    return past.sums.S, past.sums.z, past.gate.keep, past.gate.write
