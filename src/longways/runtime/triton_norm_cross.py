"""Cross attention of few rows as one Triton kernel: the norm, the queries, and the read.

R rows (windows x beams), d model size, H heads, E head size, K features.

A step of few rows is a chain of short kernels, and every link costs more than its work. A program
takes a head of 16 rows, the least that matrix units take, and makes their queries, which are short.
Of these rows it reads the memories of some, whose numbers are on their way from the beginning: they
wait in its registers, so others make the same queries for the rest.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.cross import COLUMNS, JointSums
from longways.attention.rfa.triton_decode_map import FusedMap
from longways.attention.rfa.triton_remember import trained_features
from longways.attention.triton_early import early, wait
from longways.errors import ShapeError
from longways.runtime.step_kernels import Linear
from longways.runtime.triton_linear import ROWS, normalised

TAKEN = 8
"""Rows whose memories a program reads."""

WARPS = 8

MOST_ROWS = 128
"""Rows up to which a large GPU has a processor for every program."""

MOST_INPUTS = 1024
"""Numbers of a row that fit in registers with the weights."""

MOST_NUMBERS = 4096
"""Numbers of a head's memory, the norm aside, of which a program can hold those of its rows."""


def serves(x: Tensor, fused: FusedMap, memory: object) -> bool:
    """Whether the kernel takes these: few rows in half precision, a trained map that is small."""
    if not isinstance(memory, JointSums):
        return False
    return fits(x, fused, memory.sums.shape[-1] - COLUMNS, MOST_NUMBERS)


def fits(x: Tensor, fused: FusedMap, head_dim: int, most: int) -> bool:
    """Whether a program can hold what it needs of x (R, d), and so many numbers of each head."""
    sizes = x.shape[1], fused.projections, head_dim
    even = all(size >= 16 and size & (size - 1) == 0 for size in sizes)
    small = len(x) <= MOST_ROWS and x.shape[1] <= MOST_INPUTS and sizes[1] * sizes[2] <= most
    return fused.tau is None and even and small


def norm_cross_fused(
    x: Tensor, norm: nn.LayerNorm, queries: Linear, fused: FusedMap, memory: JointSums
) -> tuple[Tensor, Tensor]:
    """x (R, d) normalised, and what its queries find in the memory of B windows, (R, H E).

    The numbers are those of `norm_linear` and `decode_cross_fused`, rounded where they are.
    """
    _check(x, queries, fused, memory)
    windows, heads, features, width = memory.sums.shape
    (rows, dim), head_dim = x.shape, width - COLUMNS
    x, normed, out = x.contiguous(), torch.empty_like(x), x.new_empty(rows, heads * head_dim)
    norm_cross_kernel[(triton.cdiv(rows, ROWS), heads, ROWS // TAKEN)](
        x, norm.weight, norm.bias, queries.weight, queries.bias, memory.sums, normed, out,
        rows, rows // windows, heads, norm.eps, memory.sums.stride(0), memory.sums.stride(1),
        MAP=fused.name, SCALE=fused.scale, MIN_NORM=MIN_NORM, D=dim, K=features, E=head_dim,
        WIDTH=memory.sums.stride(2), ROWS=ROWS, TAKEN=TAKEN, num_warps=WARPS, **early(x),
    )  # fmt: skip
    return normed, out


def _check(x: Tensor, queries: Linear, fused: FusedMap, memory: JointSums) -> None:
    windows, heads, features, _ = memory.sums.shape
    if not serves(x, fused, memory) or memory.sums.stride(3) != 1:
        raise ShapeError(
            f"x {tuple(x.shape)} and a memory {tuple(memory.sums.shape)} of a {fused.name} map are "
            "not what this kernel takes; see `serves`."
        )
    if len(queries.weight) != heads * features or features != fused.projections:
        raise ShapeError(
            f"There are {len(queries.weight)} projections of queries, but the memory has {heads} "
            f"heads of {features}."
        )
    if len(x) % windows:
        raise ShapeError(f"{len(x)} rows are not the same number of beams for {windows} windows.")


@triton.jit
def own_rows(x, part, TAKEN: tl.constexpr):
    """Of rows (ROWS, N) the TAKEN of one part."""
    PARTS: tl.constexpr = x.shape[0] // TAKEN
    x = tl.reshape(x, (PARTS, TAKEN, x.shape[1]))
    return tl.sum(tl.where(tl.arange(0, PARTS)[:, None, None] == part, x, 0.0), 0)


@triton.jit(do_not_specialize=["R", "T"])
def norm_cross_kernel(
    x_ptr, gain_ptr, shift_ptr, weight_ptr, bias_ptr, sums_ptr, normed_ptr, out_ptr,
    R, T, H, epsilon, sums_b, sums_h,
    MAP: tl.constexpr, SCALE: tl.constexpr, MIN_NORM: tl.constexpr, D: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr,
    TAKEN: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """out (R, H, E) of some rows and one head. The first programs also keep the norm."""
    h, part = tl.program_id(1), tl.program_id(2)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    mine = tl.program_id(0) * ROWS + part * TAKEN + tl.arange(0, TAKEN)
    k, e, i = tl.arange(0, K), tl.arange(0, E), tl.arange(0, D)
    n = h * K + k
    weights = tl.load(weight_ptr + n[:, None] * D + i[None, :])
    bias = tl.load(bias_ptr + n).to(tl.float32)
    gain = tl.load(gain_ptr + i).to(tl.float32)[None, :]
    shift = tl.load(shift_ptr + i).to(tl.float32)[None, :]
    known = mine < R
    sums = sums_ptr + (tl.minimum(mine, R - 1) // T).to(tl.int64) * sums_b + h * sums_h
    at = sums[:, None] + k[None, :] * WIDTH
    S = tl.load(at[:, :, None] + e[None, None, :])  # (TAKEN, K, E)
    z = tl.load(at + E).to(tl.float32)
    place, real = r[:, None] * D + i[None, :], (r < R)[:, None]
    wait(EARLY)
    x = tl.load(x_ptr + place, mask=real, other=0.0).to(tl.float32)
    normed = normalised(x, gain, shift, epsilon, D).to(x_ptr.dtype.element_ty)
    tl.store(normed_ptr + place, normed, mask=real & (h == 0) & (part == 0))
    u = tl.dot(normed, tl.trans(weights), input_precision="ieee") + bias[None, :]
    u = u.to(x_ptr.dtype.element_ty).to(tl.float32)
    phi = trained_features(u, k[None, :] < K, MAP, SCALE).to(S.dtype).to(tl.float32)
    phi = own_rows(phi, part, TAKEN)
    read = tl.sum(phi[:, :, None] * S.to(tl.float32), 1)
    norm = tl.maximum(tl.sum(phi * z, 1), MIN_NORM)
    out = (read / norm[:, None]).to(out_ptr.dtype.element_ty)
    to = (mine[:, None] * H + h) * E + e[None, :]
    tl.store(out_ptr + to, out, mask=known[:, None])
