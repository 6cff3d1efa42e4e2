"""The small operations of a decoding step as Triton kernels.

R rows, H heads, E head size, N tokens of room, d model size.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.dependent_launch import call_next, early, wait
from longways.attention.rfa.shapes import padded


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


@triton.jit
def append_kernel(
    keys_ptr, values_ptr, k_ptr, v_ptr, position_ptr, k_r, v_r, N,
    H: tl.constexpr, E: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One row: its key and value of every head to their place in the cache."""
    call_next(EARLY)
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    real = i < H * E
    wait(EARLY)
    at = (row * H + i // E) * N * E + tl.load(position_ptr + row) * E + i % E
    k = tl.load(k_ptr + row * k_r + i, mask=real, other=0.0)
    v = tl.load(v_ptr + row * v_r + i, mask=real, other=0.0)
    tl.store(keys_ptr + at, k.to(keys_ptr.dtype.element_ty), mask=real)
    tl.store(values_ptr + at, v.to(values_ptr.dtype.element_ty), mask=real)


@triton.jit
def add_norm_kernel(
    x_ptr, update_ptr, weight_ptr, bias_ptr, total_ptr, normed_ptr, d, epsilon,
    UPDATED: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One row: the sum in the precision of x, and its norm from that sum, as torch would.

    Without an update x is the sum, and is not written.
    """
    call_next(EARLY)
    row = tl.program_id(0).to(tl.int64)
    e = tl.arange(0, BLOCK)
    real, at = e < d, row * d + e
    wait(EARLY)
    x = tl.load(x_ptr + at, mask=real, other=0.0).to(tl.float32)
    if UPDATED:
        x += tl.load(update_ptr + at, mask=real, other=0.0).to(tl.float32)
        rounded = x.to(total_ptr.dtype.element_ty)
        tl.store(total_ptr + at, rounded, mask=real)
        x = rounded.to(tl.float32)
    mean = tl.sum(x, 0) / d
    centred = tl.where(real, x - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / d + epsilon)
    weight = tl.load(weight_ptr + e, mask=real, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + e, mask=real, other=0.0).to(tl.float32)
    normed = centred * scale * weight + bias
    tl.store(normed_ptr + at, normed.to(normed_ptr.dtype.element_ty), mask=real)
