"""Append the key and value of a new token to a KV cache, as a Triton kernel.

R rows, H heads, E head size, N tokens of cache capacity.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.dependent_launch import launch_next, pdl_options, wait
from longways.attention.rfa.shapes import padded


def append_fused(keys: Tensor, values: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> None:
    """Write k and v (R, H, E) at the positions (R,) of a cache (R, H, N, E)."""
    rows, heads, capacity, head_dim = keys.shape
    append_kernel[(rows,)](
        keys, values, k, v, positions, k.stride(0), v.stride(0), capacity,
        H=heads, E=head_dim, BLOCK=padded(heads * head_dim), num_warps=4, **pdl_options(k),
    )  # fmt: skip


@triton.jit
def append_kernel(
    keys_ptr, values_ptr, k_ptr, v_ptr, position_ptr, k_r, v_r, N,
    H: tl.constexpr, E: tl.constexpr, BLOCK: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Copy key and value of one row, all heads, to their position in the cache."""
    launch_next(PDL)
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    real = i < H * E
    wait(PDL)
    at = (row * H + i // E) * N * E + tl.load(position_ptr + row) * E + i % E
    k = tl.load(k_ptr + row * k_r + i, mask=real, other=0.0)
    v = tl.load(v_ptr + row * v_r + i, mask=real, other=0.0)
    tl.store(keys_ptr + at, k.to(keys_ptr.dtype.element_ty), mask=real)
    tl.store(values_ptr + at, v.to(values_ptr.dtype.element_ty), mask=real)
