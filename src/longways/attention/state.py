"""What attention remembers between two tokens.

B batch, H heads, D features, E head size, N positions allocated, T tokens added at once.

A state goes in and comes out; nothing is stashed on a layer. `reorder(beams)` picks rows, so that
beam search can follow the survivors; `size_bytes()` is what one copy of the state weighs.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class RFAState:
    """A sum over keys and values: all that RFA remembers. Its size never grows."""

    S: Tensor  # (B, H, D, E)  sum of phi(k) v^T
    z: Tensor  # (B, H, D)     sum of phi(k)

    @staticmethod
    def empty(batch: int, heads: int, features: int, head_dim: int, like: Tensor) -> RFAState:
        """Nothing remembered yet; float32 or better, on the device of `like`."""
        dtype = torch.promote_types(like.dtype, torch.float32)
        S = torch.zeros(batch, heads, features, head_dim, dtype=dtype, device=like.device)
        return RFAState(S, S.new_zeros(batch, heads, features))

    def reorder(self, beams: Tensor) -> RFAState:
        """The states of the rows in `beams`, in that order."""
        return RFAState(self.S[beams], self.z[beams])

    def size_bytes(self) -> int:
        """Bytes of this state, the whole batch together."""
        return self.S.nbytes + self.z.nbytes


@dataclass(frozen=True)
class GateState:
    """What the sentential gate has decided about the token to come."""

    keep: Tensor  # (B, H)  the share of the past that survives into the next token
    write: Tensor  # (B, H)  the weight with which the next token is added

    @staticmethod
    def open(batch: int, heads: int, like: Tensor) -> GateState:
        """Before the first token: nothing to forget, everything written in full."""
        dtype = torch.promote_types(like.dtype, torch.float32)
        ones = torch.ones(batch, heads, dtype=dtype, device=like.device)
        return GateState(ones, ones)

    def reorder(self, beams: Tensor) -> GateState:
        """The gates of the rows in `beams`, in that order."""
        return GateState(self.keep[beams], self.write[beams])

    def size_bytes(self) -> int:
        """Bytes of this state, the whole batch together."""
        return self.keep.nbytes + self.write.nbytes


@dataclass(frozen=True)
class CausalRFAState:
    """The past of one causal RFA layer: its sums, and its gate."""

    sums: RFAState
    gate: GateState

    def reorder(self, beams: Tensor) -> CausalRFAState:
        """The states of the rows in `beams`, in that order."""
        return CausalRFAState(self.sums.reorder(beams), self.gate.reorder(beams))

    def size_bytes(self) -> int:
        """Bytes of this state, the whole batch together."""
        return self.sums.size_bytes() + self.gate.size_bytes()


@dataclass(frozen=True)
class KVState:
    """The keys and values of every token so far, in memory allocated ahead.

    Softmax attention must look at each of them again for every new token, so this grows with the
    text. `add` writes into the allocation: the state it was called on is used up.
    """

    keys: Tensor  # (B, H, N, E)
    values: Tensor  # (B, H, N, E)
    lengths: Tensor  # (B,)  tokens held, per row
    longest: int  # the greatest of `lengths` at most, known without asking the device

    @staticmethod
    def empty(batch: int, heads: int, capacity: int, head_dim: int, like: Tensor) -> KVState:
        """Room for `capacity` tokens per row."""
        keys = like.new_zeros(batch, heads, capacity, head_dim)
        lengths = torch.zeros(batch, dtype=torch.long, device=like.device)
        return KVState(keys, torch.zeros_like(keys), lengths, 0)

    def add(self, keys: Tensor, values: Tensor, mask: Tensor) -> KVState:
        """Append the tokens (B, H, T, E) that `mask` (B, T) marks as real, each row at its own end.

        Padding stands at the end of a row. It is written too, but past the row's length, where it
        is never read and the next token overwrites it.
        """
        tokens = keys.shape[2]
        held = self._with_room_for(self.longest + tokens)
        slots = self.lengths[:, None] + torch.arange(tokens, device=keys.device)  # (B, T)
        slots = slots[:, None, :, None].expand_as(keys)
        held.keys.scatter_(2, slots, keys.to(held.keys.dtype))
        held.values.scatter_(2, slots, values.to(held.values.dtype))
        return KVState(held.keys, held.values, self.lengths + mask.sum(1), self.longest + tokens)

    @property
    def capacity(self) -> int:
        """Tokens a row can hold before the memory is allocated anew."""
        return self.keys.shape[2]

    def _with_room_for(self, tokens: int) -> KVState:
        if tokens <= self.capacity:
            return self
        extra = max(tokens, 2 * self.capacity) - self.capacity
        batch, heads, _, head_dim = self.keys.shape
        room = self.keys.new_zeros(batch, heads, extra, head_dim)
        keys, values = torch.cat([self.keys, room], 2), torch.cat([self.values, room], 2)
        return KVState(keys, values, self.lengths, self.longest)

    def reorder(self, beams: Tensor) -> KVState:
        """The caches of the rows in `beams`, in that order; only what is filled is copied."""
        keys, values = (
            side.new_zeros(len(beams), *side.shape[1:]) for side in (self.keys, self.values)
        )
        keys[:, :, : self.longest] = self.keys[:, :, : self.longest][beams]
        values[:, :, : self.longest] = self.values[:, :, : self.longest][beams]
        return KVState(keys, values, self.lengths[beams], self.longest)

    def size_bytes(self) -> int:
        """Bytes of this state as allocated, the whole batch together."""
        return self.keys.nbytes + self.values.nbytes + self.lengths.nbytes


CausalState = CausalRFAState | KVState
"""What a causal attention layer of either kind carries from token to token."""
