"""The state that attention carries from token to token.

B batch, H heads, D features, E head size, N positions allocated, T tokens added at once.

Functions take a state and return a new one; layers store none. `reorder(beams)` selects rows for
beam search; `size_bytes()` is the size of the state in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class RFAState:
    """The sums over keys and values that RFA stores. Their size does not depend on the tokens."""

    S: Tensor  # (B, H, D, E)  sum of phi(k) v^T
    z: Tensor  # (B, H, D)     sum of phi(k)

    @staticmethod
    def empty(batch: int, heads: int, features: int, head_dim: int, like: Tensor) -> RFAState:
        """The state before the first token; float32 or better, on the device of `like`."""
        dtype = torch.promote_types(like.dtype, torch.float32)
        S = torch.zeros(batch, heads, features, head_dim, dtype=dtype, device=like.device)
        return RFAState(S, S.new_zeros(batch, heads, features))

    def reorder(self, beams: Tensor) -> RFAState:
        """The states of the rows in `beams`, in that order."""
        return RFAState(self.S[beams], self.z[beams])

    def size_bytes(self) -> int:
        """Bytes of this state for the whole batch."""
        return self.S.nbytes + self.z.nbytes


@dataclass(frozen=True)
class GateState:
    """The values of the sentential gate for the next token."""

    keep: Tensor  # (B, H)  the factor of the state when the next token is read
    write: Tensor  # (B, H)  the weight of the next token

    @staticmethod
    def open(batch: int, heads: int, like: Tensor) -> GateState:
        """The gate of the first token: keep 1, write 1."""
        dtype = torch.promote_types(like.dtype, torch.float32)
        ones = torch.ones(batch, heads, dtype=dtype, device=like.device)
        return GateState(ones, ones)

    def reorder(self, beams: Tensor) -> GateState:
        """The gates of the rows in `beams`, in that order."""
        return GateState(self.keep[beams], self.write[beams])

    def size_bytes(self) -> int:
        """Bytes of this state for the whole batch."""
        return self.keep.nbytes + self.write.nbytes


@dataclass(frozen=True)
class CausalRFAState:
    """The state of one causal RFA layer: its sums and its gate."""

    sums: RFAState
    gate: GateState

    def reorder(self, beams: Tensor) -> CausalRFAState:
        """The states of the rows in `beams`, in that order."""
        return CausalRFAState(self.sums.reorder(beams), self.gate.reorder(beams))

    def size_bytes(self) -> int:
        """Bytes of this state for the whole batch."""
        return self.sums.size_bytes() + self.gate.size_bytes()


@dataclass(frozen=True)
class KVState:
    """A KV cache: the keys and values of all earlier tokens, in memory allocated in advance.

    It grows with the text, since softmax attention reads all of them for every new token. `add`
    writes into the allocated memory, so the state it was called on must not be used again.
    """

    keys: Tensor  # (B, H, N, E)
    values: Tensor  # (B, H, N, E)
    lengths: Tensor  # (B,)  tokens of each row
    longest: int  # an upper bound of `lengths`, known on the host

    @staticmethod
    def empty(batch: int, heads: int, capacity: int, head_dim: int, like: Tensor) -> KVState:
        """An empty cache with a capacity of `capacity` tokens for each row."""
        keys = like.new_zeros(batch, heads, capacity, head_dim)
        lengths = torch.zeros(batch, dtype=torch.long, device=like.device)
        return KVState(keys, torch.zeros_like(keys), lengths, 0)

    def add(self, keys: Tensor, values: Tensor, mask: Tensor) -> KVState:
        """Append tokens (B, H, T, E) to each row; `mask` (B, T) is false on padding.

        Padding is at the end of a row. It is written beyond the row's length, where it is never
        read and the next token overwrites it.
        """
        tokens = keys.shape[2]
        held = self._with_capacity(self.longest + tokens)
        slots = self.lengths[:, None] + torch.arange(tokens, device=keys.device)  # (B, T)
        slots = slots[:, None, :, None].expand_as(keys)
        held.keys.scatter_(2, slots, keys.to(held.keys.dtype))
        held.values.scatter_(2, slots, values.to(held.values.dtype))
        return KVState(held.keys, held.values, self.lengths + mask.sum(1), self.longest + tokens)

    @property
    def capacity(self) -> int:
        """The number of tokens that a row can hold before the cache is reallocated."""
        return self.keys.shape[2]

    def _with_capacity(self, tokens: int) -> KVState:
        if tokens <= self.capacity:
            return self
        extra = max(tokens, 2 * self.capacity) - self.capacity
        batch, heads, _, head_dim = self.keys.shape
        zeros = self.keys.new_zeros(batch, heads, extra, head_dim)
        keys, values = torch.cat([self.keys, zeros], 2), torch.cat([self.values, zeros], 2)
        return KVState(keys, values, self.lengths, self.longest)

    def reorder(self, beams: Tensor) -> KVState:
        """The caches of the rows in `beams`, in that order; unused positions are not copied."""
        keys, values = (
            side.new_zeros(len(beams), *side.shape[1:]) for side in (self.keys, self.values)
        )
        keys[:, :, : self.longest] = self.keys[:, :, : self.longest][beams]
        values[:, :, : self.longest] = self.values[:, :, : self.longest][beams]
        return KVState(keys, values, self.lengths[beams], self.longest)

    def size_bytes(self) -> int:
        """Bytes allocated for this state, for the whole batch."""
        return self.keys.nbytes + self.values.nbytes + self.lengths.nbytes


@dataclass(frozen=True)
class StreamCausalState:
    """The state of a causal layer of a stream model: a cache and the sums of earlier sentences."""

    sentence: KVState
    document: CausalRFAState

    def reorder(self, beams: Tensor) -> StreamCausalState:
        """The states of the rows in `beams`, in that order."""
        return StreamCausalState(self.sentence.reorder(beams), self.document.reorder(beams))

    def size_bytes(self) -> int:
        """Bytes of this state for the whole batch."""
        return self.sentence.size_bytes() + self.document.size_bytes()


CausalState = CausalRFAState | KVState | StreamCausalState
"""The state of a causal attention layer of any kind."""
