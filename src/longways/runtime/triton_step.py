"""The small operations of a decoding step as Triton kernels.

R rows, H heads, E head size, N tokens of room, d model size.

This module needs Triton; nothing else in the package imports it unasked.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.rfa.shapes import padded
from longways.attention.triton_early import early
from longways.runtime.triton_step_kernels import (
    add_norm_kernel,
    append_kernel,
)


def append_fused(keys: Tensor, values: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> None:
    """Write k and v (R, H, E) at the positions (R,) of a cache (R, H, N, E)."""
    rows, heads, room, head_dim = keys.shape
    append_kernel[(rows,)](
        keys, values, k, v, positions, k.stride(0), v.stride(0), room,
        H=heads, E=head_dim, BLOCK=padded(heads * head_dim), num_warps=4, **early(k),
    )  # fmt: skip


def add_norm_fused(
    x: Tensor, update: Tensor | None, weight: Tensor, bias: Tensor, epsilon: float
) -> tuple[Tensor, Tensor]:
    """x + update (R, d), and the same normalised, in the precision of x."""
    rows, dim = x.shape
    x, normed = x.contiguous(), torch.empty_like(x)
    total = x if update is None else torch.empty_like(x)
    add_norm_kernel[(rows,)](
        x, x if update is None else update.contiguous(), weight, bias, total, normed, dim, epsilon,
        UPDATED=update is not None, BLOCK=padded(dim), num_warps=4, **early(x),
    )  # fmt: skip
    return total, normed
