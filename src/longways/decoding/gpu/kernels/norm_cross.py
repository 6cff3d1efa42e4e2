"""Norm, query and read of cross attention as one Triton kernel, for few rows.

R rows (windows x beams), B windows, H heads, E head size, K projections, d model size.

A step of few rows is bound by the latency of its kernels, and this is one instead of two. A program
takes one head of a few windows, multiplies their rows by the weights of its query, and reads their
memories: all rows read each of them, and those of its window keep what they read. Weights and
memories are on their way before the kernel ahead has ended. With so many windows that programs wait
for others to end, two kernels are faster.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from longways.attention.kernels.decode_causal import _phi
from longways.attention.kernels.decode_cross import log_sums, sums_of
from longways.attention.kernels.dependent_launch import call_next, early, wait
from longways.attention.kernels.fused_map import FusedMap
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.cross import JointSums
from longways.attention.state import RFAState
from longways.decoding.gpu.kernels.linear import (
    PROCESSORS,
    ROWS,
    norm_parts,
    norm_product,
    parts_of,
    weight_parts,
)
from longways.decoding.gpu.layer_operations import Linear

WINDOWS = 4
"""Those of one program, unless they have too many beams."""

WARPS, PARTS = 4, 2
"""Warps, and into how many parts the inputs are cut."""

SIZES = 16, 32, 64
"""Head sizes and projections that it takes: powers of two whose weights fit in registers."""


def serves(x: Tensor, fused: FusedMap, memory: RFAState | JointSums) -> bool:
    """Whether there are few windows and beams, and a map whose projections are all it needs.

    On an H200 a step of up to 64 windows then takes 4 to 7% less, with 4 beams up to 14% less.
    """
    S, _ = sums_of(memory)
    windows, heads, _, head = S.shape
    fits = fused.tau is None and fused.projections in SIZES and head in SIZES and S.dtype == x.dtype
    if not fits or len(x) > ROWS * windows:
        return False
    return triton.cdiv(windows, _together(len(x) // windows)) * heads <= PROCESSORS


def _together(beams: int) -> int:
    """Windows of one program."""
    return min(WINDOWS, ROWS // beams)


def norm_cross_fused(
    x: Tensor, norm: nn.LayerNorm, query: Linear, fused: FusedMap, memory: RFAState | JointSums
) -> tuple[Tensor, Tensor]:
    """x (R, d) normalised, and what its queries read of the memory (R, H E), both as x is.

    No kernel still under way may write the memory.
    """
    S, z = sums_of(memory)
    (rows, dim), (windows, heads, _, head) = x.shape, S.shape
    x, normed, out = x.contiguous(), torch.empty_like(x), x.new_empty(rows, heads * head)
    beams = rows // windows
    group = _together(beams)
    norm_cross_kernel[(triton.cdiv(windows, group), heads)](
        x, norm.weight, norm.bias, query.weight, query.bias, S, z, normed, out,
        *S.stride()[:2], *z.stride()[:2], windows, norm.eps,
        MAP=fused.name, SCALE=fused.scale, MIN_NORM=MIN_NORM, S_d=S.stride(2), z_d=z.stride(2),
        K=fused.projections, E=head, H=heads, D=dim, PARTS=parts_of(dim, PARTS), ROWS=ROWS,
        BEAMS=beams, GROUP=group, num_warps=WARPS, **early(x),
    )  # fmt: skip
    return normed, out


@triton.jit
def _memory_parts(S_ptr, first, B, S_b, d, e, S_d: tl.constexpr, GROUP: tl.constexpr):
    """S (K, E) of each window; after the last there is none, and its own again will do."""
    parts = ()
    for g in tl.static_range(GROUP):
        b = tl.minimum(first + g, B - 1).to(tl.int64)
        parts += (tl.load(S_ptr + b * S_b + d[:, None] * S_d + e[None, :]),)
    return parts


@triton.jit
def _features(u, MAP: tl.constexpr, SCALE: tl.constexpr):
    """Those of rows of projections u (R, K), all of which are real."""
    offset = log_sums(u)[:, None] if MAP == "spiky" else 0.0
    return _phi(u, offset, True, MAP, SCALE, False)[0]


@triton.jit(do_not_specialize=["B"])
def norm_cross_kernel(
    x_ptr, norm_weight_ptr, norm_bias_ptr, weight_ptr, bias_ptr, S_ptr, z_ptr, normed_ptr, out_ptr,
    S_b, S_h, z_b, z_h, B, epsilon,
    MAP: tl.constexpr, SCALE: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr, K: tl.constexpr, E: tl.constexpr, H: tl.constexpr,
    D: tl.constexpr, PARTS: tl.constexpr, ROWS: tl.constexpr, BEAMS: tl.constexpr,
    GROUP: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """GROUP windows and one head; the first head also keeps the norm."""
    call_next(EARLY)
    first, h = tl.program_id(0) * GROUP, tl.program_id(1)
    row, d, a = tl.arange(0, ROWS), tl.arange(0, K), tl.arange(0, E)
    b, r = first + row // BEAMS, first * BEAMS + row
    known = ((row < GROUP * BEAMS) & (b < B))[:, None]
    e, n = tl.arange(0, D // PARTS)[None, :], h * K + d
    weights = weight_parts(weight_ptr, n, n < H * K, e, D, PARTS)
    norm = norm_parts(norm_weight_ptr, norm_bias_ptr, e, PARTS)
    bias = tl.load(bias_ptr + n).to(tl.float32)
    memories = _memory_parts(S_ptr + h * S_h, first, B, S_b, d, a, S_d, GROUP)
    z_at = z_ptr + h * z_h + b.to(tl.int64)[:, None] * z_b + d[None, :] * z_d
    z = tl.load(z_at, mask=known, other=0.0).to(tl.float32)
    wait(EARLY)
    u = norm_product(
        x_ptr, normed_ptr, r[:, None] * D + e, known, h == 0, weights, norm, bias, epsilon, D, PARTS
    )
    phi = _features(u.to(x_ptr.dtype.element_ty).to(tl.float32), MAP, SCALE)
    phi = phi.to(S_ptr.dtype.element_ty)
    read = tl.zeros((ROWS, E), tl.float32)
    for g in tl.static_range(GROUP):
        of_this = tl.dot(phi, memories[g], input_precision="ieee")
        read = tl.where((row // BEAMS == g)[:, None], of_this, read)
    out = read / tl.maximum(tl.sum(phi.to(tl.float32) * z, 1), MIN_NORM)[:, None]
    at = r[:, None] * (H * E) + h * E + a[None, :]
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=known)
