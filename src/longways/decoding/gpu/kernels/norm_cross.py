"""Layer norm, query and cross attention of a decoding step as one Triton kernel, for few rows.

R rows (windows x beams), B windows, H heads, E head size, K projections, d model size.

A step of few rows is bound by the latency of its kernels, and this is one kernel instead of two. A
program takes one head of a few windows. It multiplies their rows by the weights of the query, reads
the memory of each window with all rows, and keeps the output of that window's own rows. Weights and
memories are loaded before the kernel ahead has ended. With more programs than the GPU runs at a
time, two kernels are faster.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from longways.attention.kernels.decode_causal import activate
from longways.attention.kernels.decode_cross import log_sum_exp, sums_of
from longways.attention.kernels.dependent_launch import launch_next, pdl_options, wait
from longways.attention.kernels.fused_map import FusedMap
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.cross import JointSums
from longways.attention.state import RFAState
from longways.decoding.gpu.kernels.linear import (
    PROCESSORS,
    TILE_ROWS,
    input_parts,
    norm_matmul,
    norm_parts,
    weight_parts,
)
from longways.decoding.gpu.layer_operations import Linear

PROGRAM_MAX_WINDOWS = 4
"""Most windows of one program; fewer if they have many beams."""

PROGRAM_WARPS, INPUT_PARTS = 4, 2
"""Warps of one program, and parts of the inputs of its matmul."""

SUPPORTED_SIZES = 16, 32, 64
"""Head sizes and numbers of projections: powers of two whose weights fit in registers."""


def serves(x: Tensor, fused: FusedMap, memory: RFAState | JointSums) -> bool:
    """Whether the kernel serves: few windows and beams, a trained feature map, supported sizes.

    Gains on an H200 are in `results/speed/kernel-gains.json`: 6 to 8% with up to 64 windows.
    """
    S, _ = sums_of(memory)
    windows, heads, _, head = S.shape
    has_size = fused.projections in SUPPORTED_SIZES and head in SUPPORTED_SIZES
    fits = fused.tau is None and has_size and S.dtype == x.dtype
    if not fits or len(x) > TILE_ROWS * windows:
        return False
    return triton.cdiv(windows, _group(len(x) // windows)) * heads <= PROCESSORS


def _group(beams: int) -> int:
    """Windows of one program."""
    return min(PROGRAM_MAX_WINDOWS, TILE_ROWS // beams)


def norm_cross_fused(
    x: Tensor, norm: nn.LayerNorm, query: Linear, fused: FusedMap, memory: RFAState | JointSums
) -> tuple[Tensor, Tensor]:
    """Layer norm of x (R, d), and cross attention (R, H E) after it, in the precision of x.

    No kernel that is still running may write the memory.
    """
    S, z = sums_of(memory)
    (rows, dim), (windows, heads, _, head) = x.shape, S.shape
    x, normed, out = x.contiguous(), torch.empty_like(x), x.new_empty(rows, heads * head)
    beams = rows // windows
    group = _group(beams)
    norm_cross_kernel[(triton.cdiv(windows, group), heads)](
        x, norm.weight, norm.bias, query.weight, query.bias, S, z, normed, out,
        *S.stride()[:2], *z.stride()[:2], windows, norm.eps,
        MAP=fused.name, SCALE=fused.scale, MIN_NORM=MIN_NORM, S_d=S.stride(2), z_d=z.stride(2),
        K=fused.projections, E=head, H=heads, D=dim, PARTS=input_parts(dim, INPUT_PARTS),
        ROWS=TILE_ROWS, BEAMS=beams, GROUP=group, num_warps=PROGRAM_WARPS, **pdl_options(x),
    )  # fmt: skip
    return normed, out


@triton.jit
def _memory_parts(S_ptr, first, B, S_b, d, e, S_d: tl.constexpr, GROUP: tl.constexpr):
    """S (K, E) of each window; past the last window, S of the last window again."""
    parts = ()
    for g in tl.static_range(GROUP):
        b = tl.minimum(first + g, B - 1).to(tl.int64)
        parts += (tl.load(S_ptr + b * S_b + d[:, None] * S_d + e[None, :]),)
    return parts


@triton.jit
def _features(u, MAP: tl.constexpr, SCALE: tl.constexpr):
    """Features of the projections u (R, K); no row is padding."""
    offset = log_sum_exp(u)[:, None] if MAP == "spiky" else 0.0
    return activate(u, offset, True, MAP, SCALE, False)[0]


@triton.jit(do_not_specialize=["B"])
def norm_cross_kernel(
    x_ptr, norm_weight_ptr, norm_bias_ptr, weight_ptr, bias_ptr, S_ptr, z_ptr, normed_ptr, out_ptr,
    S_b, S_h, z_b, z_h, B, epsilon,
    MAP: tl.constexpr, SCALE: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr, K: tl.constexpr, E: tl.constexpr, H: tl.constexpr,
    D: tl.constexpr, PARTS: tl.constexpr, ROWS: tl.constexpr, BEAMS: tl.constexpr,
    GROUP: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """GROUP windows and one head; the programs of the first head also store the norm."""
    launch_next(PDL)
    first, h = tl.program_id(0) * GROUP, tl.program_id(1)
    row, d, a = tl.arange(0, ROWS), tl.arange(0, K), tl.arange(0, E)
    b, r = first + row // BEAMS, first * BEAMS + row
    is_row = ((row < GROUP * BEAMS) & (b < B))[:, None]
    e, n = tl.arange(0, D // PARTS)[None, :], h * K + d
    weights = weight_parts(weight_ptr, n, n < H * K, e, D, PARTS)
    norm = norm_parts(norm_weight_ptr, norm_bias_ptr, e, PARTS)
    bias = tl.load(bias_ptr + n).to(tl.float32)
    memories = _memory_parts(S_ptr + h * S_h, first, B, S_b, d, a, S_d, GROUP)
    z_at = z_ptr + h * z_h + b.to(tl.int64)[:, None] * z_b + d[None, :] * z_d
    z = tl.load(z_at, mask=is_row, other=0.0).to(tl.float32)
    wait(PDL)
    u = norm_matmul(
        x_ptr, normed_ptr, r[:, None] * D + e, is_row, h == 0, weights, norm, bias, epsilon,
        D, PARTS,
    )  # fmt: skip
    phi = _features(u.to(x_ptr.dtype.element_ty).to(tl.float32), MAP, SCALE)
    phi = phi.to(S_ptr.dtype.element_ty)
    read = tl.zeros((ROWS, E), tl.float32)
    for g in tl.static_range(GROUP):
        of_window = tl.dot(phi, memories[g], input_precision="ieee")
        read = tl.where((row // BEAMS == g)[:, None], of_window, read)
    out = read / tl.maximum(tl.sum(phi.to(tl.float32) * z, 1), MIN_NORM)[:, None]
    at = r[:, None] * (H * E) + h * E + a[None, :]
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=is_row)
