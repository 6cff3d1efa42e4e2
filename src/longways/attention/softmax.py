"""Softmax attention: within a window, to a KV cache, and to a source.

B batch, H heads, G key heads, T queries, N keys, E head size. All forms use torch's fused
`scaled_dot_product_attention`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from longways.attention.state import KVState


@dataclass(frozen=True)
class KVMemory:
    """The keys and values of a source, for softmax cross attention.

    There are N tokens, or N pooled means if `grows` is false.
    """

    keys: Tensor  # (B, G, N, E)
    values: Tensor  # (B, G, N, E)
    mask: Tensor  # (B, N)  false on padding
    grows: bool = True

    def reorder(self, windows: Tensor) -> KVMemory:
        """A copy of the memory with these windows, in this order."""
        keys, values, mask = (x[windows] for x in (self.keys, self.values, self.mask))
        return KVMemory(keys, values, mask, self.grows)

    def size_bytes(self) -> int:
        """Bytes of this memory for the whole batch."""
        return self.keys.nbytes + self.values.nbytes + self.mask.nbytes


def softmax_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Attend from q (B, H, T, E) to keys (B, G, N, E); mask (B, N) is false on padding."""
    return shared_attention(q, k, v, None if mask is None else mask[:, None, None, :])


def shared_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Attend from H query heads to G shared key heads (grouped queries, Ainslie et al. 2023).

    The query heads of one key head become additional queries, so no key is repeated. The mask is
    boolean or added to the scores; it is the same for all heads and queries.
    """
    heads, keys = q.shape[1], k.shape[1]
    if heads == keys:
        return scaled_dot_product_attention(q, k, v, attn_mask=mask)
    groups = q.unflatten(1, (heads // keys, keys)).transpose(1, 2)
    out = scaled_dot_product_attention(groups.flatten(2, 3), k, v, attn_mask=mask)  # H/G T queries
    ungrouped: Tensor = out.unflatten(2, (heads // keys, -1)).transpose(1, 2)
    return ungrouped.flatten(1, 2)


def softmax_causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend from every token of a window to itself and all earlier tokens."""
    return scaled_dot_product_attention(q, k, v, is_causal=True)


def softmax_extend(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, past: KVState
) -> tuple[Tensor, KVState]:
    """Append T new tokens to the cache and attend from each to itself and all earlier tokens.

    mask (B, T) is false on padding, which is at the end of a row. With one token, this is a
    decoding step.
    """
    state = past.add(k, v, mask)
    new = torch.arange(q.shape[2], device=q.device)
    last = past.lengths[:, None] + new  # (B, T)  the slot of each new token
    slots = torch.arange(state.longest, device=q.device)
    visible = slots <= last[:, None, :, None]  # (B, 1, T, N)
    keys, values = state.keys[:, :, : state.longest], state.values[:, :, : state.longest]
    return scaled_dot_product_attention(q, keys, values, attn_mask=visible), state
