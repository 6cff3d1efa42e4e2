"""One decoding step of cross RFA as one Triton kernel; the beams of a window share its memory.

B windows, T beams, H heads, E head size, K projections, D features.

Lower bound on memory traffic. A step reads S and z of each window once, with `m` bytes an element;
it reads q and writes out with `size` bytes an element:

    B H (D (E + 1) m + T (N + E) size)   bytes,

where N is K, or K + E. At K = 256 and E = 64 that is 67 KB for a window and head in half precision,
and twice that in float32, for any number of beams. (Projecting q in this kernel would load W for
every window and head, and W is as large as a memory.)

q is projected already; for the random maps it follows its projections, because the map needs its
length. With several beams one program takes all beams of one window and head, so that S is loaded
once. With many windows a program takes a few of them: their rows fill the tile of 16 rows that
tensor cores need, and each memory is read in turn.

With a single beam tensor cores do not pay: S is a tile of (features, head size), multiplied and
summed elementwise in memory order.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from longways.attention.features import FeatureMap
from longways.attention.kernels.decode_causal import (
    activate,
    inverse_length,
    load_log_sum_exp,
    map_offset,
)
from longways.attention.kernels.dependent_launch import launch_next, pdl_options, wait
from longways.attention.kernels.features import INTERPRETED
from longways.attention.kernels.fused_map import (
    FusedMap,
    check_head,
    check_map,
    fused_inputs,
    in_rows,
)
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.cross import EXTRA_COLUMNS, JointSums
from longways.attention.rfa.shapes import padded
from longways.attention.state import RFAState
from longways.errors import ShapeError

PROGRAM_MAX_BEAMS = 64
"""Most beams of a window in one program; more beams take several programs."""

PROGRAM_MAX_WINDOWS = 4
"""Most windows in one program."""

MIN_PROGRAMS = 256
"""Programs that keep a large GPU busy, two per multiprocessor; more programs group windows."""

TILE_BYTES = 16_384
"""Bytes of S that a program loads for one block of projections."""


SINGLE_TILE_ELEMENTS = 16_384
"""Elements of S that a program for a single beam holds in registers."""

SINGLE_WARP_ELEMENTS = 4096
"""Elements of S that one warp of such a program holds."""


def decode_cross_fused(
    q: Tensor,
    phi: FeatureMap | FusedMap,
    W: Tensor | None,
    memory: RFAState | JointSums,
    *,
    load_early: bool = False,
) -> Tensor:
    """Read the memory of B windows with q (B, H, T, E); equal to `decode_cross`.

    q is float32 or half precision and may be a view; out (B, H, T, E) is in the precision of q and
    laid out in memory as (B, T, H, E), so that the heads can be joined without a copy. `phi` may be
    a `FusedMap`, with W None; then q are projections as `attention.fused_projection` gives them.

    Features are rounded to the precision of the memory, and sums are float32. `load_early` says
    that no running kernel writes the memory, so that it is loaded before the kernel ahead has ended
    (see `dependent_launch`). There are no gradients.
    """
    wanted, (fused, (q,)) = q.dtype, fused_inputs(phi, W, q)
    S, z = sums_of(memory)
    check_map(q, "(B, H, T, N)", fused, S.shape[-1])
    _check(q, fused, S, z)
    batch, heads, beams, _ = q.shape
    out = q.new_empty(batch, beams, heads, S.shape[-1], dtype=wanted).transpose(1, 2)
    if out.numel():
        _launch(in_rows(q), fused, in_rows(S), z, out, load_early)
    return out


def sums_of(memory: RFAState | JointSums) -> tuple[Tensor, Tensor]:
    """S (B, H, D, E) and z (B, H, D) as views, for both kinds of memory."""
    if isinstance(memory, RFAState):
        return memory.S, memory.z
    return memory.sums[..., :-EXTRA_COLUMNS], memory.sums[..., -EXTRA_COLUMNS]


def _launch(
    q: Tensor, fused: FusedMap, S: Tensor, z: Tensor, out: Tensor, load_early: bool
) -> None:
    batch, heads, beams, _ = q.shape
    memory_strides = *S.stride()[:2], *z.stride()[:2]
    if beams == 1:
        cross_decode_single[(batch * heads,)](
            q, fused.tau_or(q), S, z, out,
            *q.stride()[:2], *memory_strides, *out.stride()[:2], heads,
            **_single_sizes(out, fused, S, z), LOAD_EARLY=load_early, **pdl_options(q),
        )  # fmt: skip
        return
    sizes = _sizes(out, fused, S, z)
    programs = heads * -(-batch // sizes["GROUP"]) * -(-beams // sizes["BEAMS"])
    cross_decode[(programs,)](
        q, fused.tau_or(q), S, z, out,
        *q.stride()[:3], *memory_strides, *out.stride()[:3], batch, heads, beams,
        **sizes, **pdl_options(q),
    )  # fmt: skip


def _shared_sizes(out: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    """Compile-time constants of both kernels.

    They include the strides of S and z over features: the columns after S keep its rows aligned,
    and the compiler must know that to load sixteen bytes at a time.
    """
    return fused.constants | {
        "FAST": out.dtype != torch.float32 and not INTERPRETED,
        "MIN_NORM": MIN_NORM,
        "S_d": S.stride(2),
        "z_d": z.stride(2),
        "E": out.shape[-1],
        "PADDED_E": padded(out.shape[-1]),
        "num_warps": 4,
    }


def _single_sizes(out: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    """Constants of the kernel for a single beam, with as few warps as can hold its tile."""
    head, halves = padded(out.shape[-1]), fused.features // fused.projections
    block = min(padded(fused.projections), SINGLE_TILE_ELEMENTS // (head * halves))
    warps = max(1, block * head * halves // SINGLE_WARP_ELEMENTS)
    return _shared_sizes(out, fused, S, z) | {"BLOCK_K": block, "num_warps": warps}


def _sizes(out: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    head, tf32 = padded(out.shape[-1]), torch.backends.cuda.matmul.allow_tf32
    beams = min(1 << (out.shape[2] - 1).bit_length(), PROGRAM_MAX_BEAMS)
    group = _group(out.shape[0] * out.shape[1], beams)
    max_block = TILE_BYTES // (max(group, 2) * head * S.itemsize)
    return _shared_sizes(out, fused, S, z) | {
        "GROUP": group,
        "BEAMS": beams,
        "BLOCK": padded(group * beams),
        "BLOCK_K": max(16, min(padded(fused.projections), max_block, 64)),
        "PRECISION": "tf32x3" if tf32 else "ieee",
        "num_stages": 3,
    }


def _group(programs: int, beams: int) -> int:
    """Windows of one program; `programs` is their number with one window each."""
    group = 1
    while 2 * group <= min(PROGRAM_MAX_WINDOWS, 16 // beams):
        if programs < 2 * group * MIN_PROGRAMS:
            break
        group *= 2
    return group


def _check(q: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> None:
    check_head(S.shape[-1])
    wanted = *q.shape[:2], fused.features, S.shape[-1]
    if S.shape != wanted or z.shape != wanted[:3]:
        raise ShapeError(
            f"The memory has S of shape {tuple(S.shape)} and z of shape {tuple(z.shape)}, but "
            f"these queries need {wanted} and {wanted[:3]}: it is of another batch or layer."
        )
    if torch.float64 in (S.dtype, z.dtype) or S.dtype != z.dtype:
        raise ShapeError(
            f"The memory has S in {S.dtype} and z in {z.dtype}, but the decode kernels take both "
            "in float32, or both in half precision."
        )


@triton.jit
def _read_rows(phi, S_ptr, z_ptr, at, z_at, tile, is_feature, read, norm, PRECISION: tl.constexpr):
    """Add one block of one window's memory to read and norm, for all rows of phi.

    norm has a column for each projection of a block; the columns are summed after all blocks.
    """
    S = tl.load(S_ptr + at, mask=tile, other=0.0)
    z = tl.load(z_ptr + z_at, mask=is_feature, other=0.0).to(tl.float32)
    phi = phi.to(S.dtype)
    norm += phi.to(tl.float32) * z[None, :]
    return tl.dot(phi, S, read, input_precision=PRECISION), norm


@triton.jit
def _load_log_sum_exp(u_ptr, is_row, K: tl.constexpr, PADDED_K: tl.constexpr):
    """log of the sum of exp(u) over the projections of each row; no row of padding is loaded."""
    d = tl.arange(0, PADDED_K)[None, :]
    u = tl.load(u_ptr + d, mask=is_row & (d < K), other=0.0).to(tl.float32)
    return log_sum_exp(tl.where(d < K, u, -float("inf")))


@triton.jit
def log_sum_exp(u):
    """log of the sum of exp(u) over each row."""
    greatest = tl.max(u, 1)
    return greatest + tl.log(tl.sum(tl.exp(u - greatest[:, None]), 1))


@triton.jit(do_not_specialize=["B", "T"])
def cross_decode(
    q_ptr, tau_ptr, S_ptr, z_ptr, out_ptr,
    q_b, q_h, q_t, S_b, S_h, z_b, z_h, out_b, out_h, out_t, B, H, T,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    GROUP: tl.constexpr, BEAMS: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr,
    PRECISION: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out (B, H, T, E) for one head of GROUP windows with BEAMS beams each: BLOCK rows.

    Features enter the matmuls in the precision of the memory.
    """
    launch_next(PDL)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    wait(PDL)
    blocks = tl.cdiv(T, BEAMS)
    program, h = tl.program_id(0) // H, tl.program_id(0) % H
    first = (program // blocks).to(tl.int64) * GROUP
    row = tl.arange(0, BLOCK)
    b, t = first + row // BEAMS, (program % blocks) * BEAMS + row % BEAMS
    e = tl.arange(0, PADDED_E)
    is_row = ((row < GROUP * BEAMS) & (b < B) & (t < T))[:, None]
    rows = is_row & (e < E)[None, :]
    q_ptr += (b * q_b + h * q_h + t * q_t)[:, None]
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset = map_offset(tau, MAP)
    if MAP == "spiky":
        offset = _load_log_sum_exp(q_ptr, is_row, K, PADDED_K)[:, None]
    if TEMPERED:
        x = tl.load(q_ptr + K + e[None, :], mask=rows, other=0.0)
        scale = inverse_length(x, tau, EPSILON)
    read = tl.zeros((BLOCK, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK, BLOCK_K), tl.float32)
    for start in range(0, K, BLOCK_K):
        d = start + tl.arange(0, BLOCK_K)
        is_feature, at = d < K, d[:, None] * S_d + e[None, :]
        tile = is_feature[:, None] & (e < E)[None, :]
        u = tl.load(q_ptr + d[None, :], mask=is_row & is_feature[None, :], other=0.0)
        u = u.to(tl.float32)
        if TEMPERED:
            u *= scale[:, None]
        phi, phi_2 = activate(u, offset, is_feature[None, :], MAP, SCALE, FAST)
        for g in tl.static_range(GROUP):
            w = tl.minimum(first + g, B - 1)
            S, z = S_ptr + w * S_b + h * S_h, z_ptr + w * z_b + h * z_h
            own = (row // BEAMS == g)[:, None]  # rows of other windows add 0
            phi_g, z_at = tl.where(own, phi, 0.0), d * z_d
            read, norm = _read_rows(phi_g, S, z, at, z_at, tile, is_feature, read, norm, PRECISION)
            if HALVES == 2:
                phi_g, at_2, z_at_2 = tl.where(own, phi_2, 0.0), K * S_d + at, K * z_d + z_at
                read, norm = _read_rows(
                    phi_g, S, z, at_2, z_at_2, tile, is_feature, read, norm, PRECISION
                )
    out = read / tl.maximum(tl.sum(norm, 1), MIN_NORM)[:, None]
    out_at = (b * out_b + h * out_h + t * out_t)[:, None] + e[None, :]
    tl.store(out_ptr + out_at, out.to(out_ptr.dtype.element_ty), mask=rows)


@triton.jit
def _load_memory(
    S_ptr, z_ptr, start, e, HALVES: tl.constexpr, S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """S and z of both halves of a block of features; without a second half, the first again."""
    d = start + tl.arange(0, BLOCK_K)
    is_feature, at = d < K, d[:, None] * S_d + e
    tile = is_feature[:, None] & (e < E)
    S = tl.load(S_ptr + at, mask=tile, other=0.0)
    z = tl.load(z_ptr + d * z_d, mask=is_feature, other=0.0)
    S_2, z_2 = S, z
    if HALVES == 2:
        S_2 = tl.load(S_ptr + K * S_d + at, mask=tile, other=0.0)
        z_2 = tl.load(z_ptr + (K + d) * z_d, mask=is_feature, other=0.0)
    return S, z, S_2, z_2


@triton.jit
def cross_decode_single(
    q_ptr, tau_ptr, S_ptr, z_ptr, out_ptr,
    q_b, q_h, S_b, S_h, z_b, z_h, out_b, out_h, H,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    BLOCK_K: tl.constexpr, LOAD_EARLY: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out (B, H, 1, E) for one window and head. Features are rounded to the memory's precision."""
    launch_next(PDL)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    b, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    e = tl.arange(0, PADDED_E)[None, :]
    S_ptr += b * S_b + h * S_h
    z_ptr += b * z_b + h * z_h
    q_ptr += b * q_b + h * q_h
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset = map_offset(tau, MAP)
    read = tl.zeros((BLOCK_K, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK_K,), tl.float32)
    if not LOAD_EARLY:
        wait(PDL)
    S, z, S_2, z_2 = _load_memory(S_ptr, z_ptr, 0, e, HALVES, S_d, z_d, K, E, BLOCK_K)
    if LOAD_EARLY:
        wait(PDL)
    if MAP == "spiky":
        offset = load_log_sum_exp(q_ptr, K, PADDED_K)
    if TEMPERED:
        scale = inverse_length(tl.load(q_ptr + K + e, mask=e < E, other=0.0), tau, EPSILON)
    for start in tl.static_range(0, K, BLOCK_K):
        if start + BLOCK_K < K:  # loads the next block while this one is multiplied
            following = start + BLOCK_K
            coming = _load_memory(S_ptr, z_ptr, following, e, HALVES, S_d, z_d, K, E, BLOCK_K)
        d = start + tl.arange(0, BLOCK_K)
        u = tl.load(q_ptr + d, mask=d < K, other=0.0).to(tl.float32)
        if TEMPERED:
            u *= scale
        phi, phi_2 = activate(u, offset, d < K, MAP, SCALE, FAST)
        phi = phi.to(S.dtype).to(tl.float32)
        read += phi[:, None] * S.to(tl.float32)
        norm += phi * z.to(tl.float32)
        if HALVES == 2:
            phi_2 = phi_2.to(S.dtype).to(tl.float32)
            read += phi_2[:, None] * S_2.to(tl.float32)
            norm += phi_2 * z_2.to(tl.float32)
        if start + BLOCK_K < K:
            S, z, S_2, z_2 = coming
    out = tl.sum(read, 0)[None, :] / tl.maximum(tl.sum(norm, 0), MIN_NORM)
    at = b * out_b + h * out_h + e
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=e < E)
