"""Softmax attention to a range of keys for each query, such as the tokens of its sentence.

B windows, H heads, T queries, N keys, E head size.

The plain form masks a T x N matrix; on a GPU in half precision, kernels visit the ranges only.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from longways.attention.precision import kernels_serve
from longways.attention.rfa.constants import MAX_FUSED_FEATURES


class Ranges(NamedTuple):
    """The keys that each query reads: first_t to after_t - 1. Neither ever decreases with t."""

    first: Tensor  # (B, T)
    after: Tensor  # (B, T)

    def visible(self, keys: int) -> Tensor:
        """(B, T, N): whether a query reads a key."""
        places = torch.arange(keys, device=self.first.device)
        return (places >= self.first[..., None]) & (places < self.after[..., None])


def ranges_of(groups: Tensor, wanted: Tensor, lengths: Tensor) -> Ranges:
    """The keys of the group that each query wants.

    groups (B, N) are the groups of the keys, which never decrease; wanted (B, T) is likewise the
    group of each query; keys beyond lengths (B,) are padding.
    """
    groups, wanted = groups.contiguous(), wanted.contiguous()
    first, after = (
        torch.searchsorted(groups, wanted, right=right).minimum(lengths[:, None])
        for right in (False, True)
    )
    return Ranges(first, after)


def range_attention(q: Tensor, k: Tensor, v: Tensor, ranges: Ranges) -> Tensor:
    """Attend from each query of q (B, H, T, E) to the keys (B, H, N, E) in its range.

    The output of a query without keys has no meaning: it must be padding.
    """
    if kernels_serve(v) and q.dtype == k.dtype == v.dtype and v.shape[-1] <= MAX_FUSED_FEATURES:
        from longways.attention.kernels.ranges import range_attention_fused

        return range_attention_fused(q, k, v, *ranges)
    mask = ranges.visible(k.shape[2])[:, None]
    return scaled_dot_product_attention(q, k, v, attn_mask=mask)
