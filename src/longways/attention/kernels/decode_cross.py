"""One decoding step of cross RFA as one Triton kernel; the beams of a window share its memory.

B windows, T beams, H heads, E head size, K projections, D features.

The floor. A step reads each window's S and z once, of `m` bytes a number; it reads q and writes
out, of `size` bytes a number:

    B H (D (E + 1) m + T (N + E) size)   bytes,

where N is K, or K + E. At K = 256 and E = 64 that is 67 KB a window and head in half precision, and
twice that in float32, however many beams there are. (Projecting q here, too, would load W for every
window and head, which weighs as much as a memory.)

q comes projected; of the random maps it follows its projections, since its length counts. Of
several beams one program takes all of one window and head, so that S is loaded once for them.
Where windows abound a program takes a few of them: their rows fill up the tile of 16 that the
matrix units take at least, and are read one memory after another.

A single beam is no work for matrix units: S is a tile of (features, head), read by elementwise sums
in the order in which it comes from memory.

This module needs Triton; nothing else in the package imports it unasked.
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
from longways.attention.kernels.decode_causal import _log_total, _offset, _phi, _shrink
from longways.attention.kernels.dependent_launch import call_next, early, wait
from longways.attention.kernels.features import INTERPRETED
from longways.attention.kernels.fused_map import (
    FusedMap,
    check_head,
    check_map,
    fused_inputs,
    in_rows,
)
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.cross import COLUMNS, JointSums
from longways.attention.rfa.shapes import padded
from longways.attention.state import RFAState
from longways.errors import ShapeError

MOST_BEAMS = 64
"""Beams of a window that one program takes; more of them are shared out."""

MOST_WINDOWS = 4
"""Windows that one program takes at most."""

ENOUGH = 256
"""Programs that keep a large GPU busy, two for each processor: windows are grouped beyond that."""

TILE = 16_384
"""Bytes of S that a program has on their way for one block of projections, z aside."""


SINGLE_TILE = 16384
"""Numbers of S that a program for a single beam holds at once."""

SINGLE_WARP = 4096
"""Those that one of its warps holds."""


def decode_cross_fused(
    q: Tensor,
    phi: FeatureMap | FusedMap,
    W: Tensor | None,
    memory: RFAState | JointSums,
    *,
    settled: bool = False,
) -> Tensor:
    """Read the memory of B windows with q (B, H, T, E): the same numbers as `decode_cross`.

    q is float32 or half precision, a view or not; out (B, H, T, E) is in its precision and laid
    out in memory as (B, T, H, E), so that joining the heads moves nothing. For `phi` may stand what
    `fused_map` made of it, without W; then q is what `attention.folding` makes of it.

    A memory in half precision is multiplied by features in half precision, as matrix units like it,
    and summed in float32; one in float32 by float32. `settled` says that no kernel still under way
    writes the memory, so that it may be read before they have ended (`triton_early`). There are no
    gradients.
    """
    wanted, (fused, (q,)) = q.dtype, fused_inputs(phi, W, q)
    S, z = sums_of(memory)
    check_map(q, "(B, H, T, N)", fused, S.shape[-1])
    _check(q, fused, S, z)
    batch, heads, beams, _ = q.shape
    out = q.new_empty(batch, beams, heads, S.shape[-1], dtype=wanted).transpose(1, 2)
    if out.numel():
        _launch(in_rows(q), fused, in_rows(S), z, out, settled)
    return out


def sums_of(memory: RFAState | JointSums) -> tuple[Tensor, Tensor]:
    """S (B, H, D, E) and z (B, H, D): views, whichever way the memory keeps them."""
    if isinstance(memory, RFAState):
        return memory.S, memory.z
    return memory.sums[..., :-COLUMNS], memory.sums[..., -COLUMNS]


def _launch(q: Tensor, fused: FusedMap, S: Tensor, z: Tensor, out: Tensor, settled: bool) -> None:
    batch, heads, beams, _ = q.shape
    steps = *S.stride()[:2], *z.stride()[:2]
    if beams == 1:
        cross_decode_single[(batch * heads,)](
            q, fused.numbers(q), S, z, out,
            *q.stride()[:2], *steps, *out.stride()[:2], heads,
            **_single_sizes(out, fused, S, z), SETTLED=settled, **early(q),
        )  # fmt: skip
        return
    sizes = _sizes(out, fused, S, z)
    programs = heads * -(-batch // sizes["GROUP"]) * -(-beams // sizes["BEAMS"])
    cross_decode[(programs,)](
        q, fused.numbers(q), S, z, out,
        *q.stride()[:3], *steps, *out.stride()[:3], batch, heads, beams, **sizes, **early(q),
    )  # fmt: skip


def _shared_sizes(out: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    """What both kernels are compiled for.

    The strides of S and z over features are part of it: the eight columns after those of S keep
    its rows aligned, and the compiler must know that to load sixteen bytes at a time.
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
    """As few warps as can hold what is loaded at once: they have little to join."""
    head, halves = padded(out.shape[-1]), fused.features // fused.projections
    block = min(padded(fused.projections), SINGLE_TILE // (head * halves))
    warps = max(1, block * head * halves // SINGLE_WARP)
    return _shared_sizes(out, fused, S, z) | {"BLOCK_K": block, "num_warps": warps}


def _sizes(out: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    head, tf32 = padded(out.shape[-1]), torch.backends.cuda.matmul.allow_tf32
    beams = min(1 << (out.shape[2] - 1).bit_length(), MOST_BEAMS)
    group = _group(out.shape[0] * out.shape[1], beams)
    fitting = TILE // (max(group, 2) * head * S.itemsize)
    return _shared_sizes(out, fused, S, z) | {
        "GROUP": group,
        "BEAMS": beams,
        "BLOCK": padded(group * beams),
        "BLOCK_K": max(16, min(padded(fused.projections), fitting, 64)),
        "PRECISION": "tf32x3" if tf32 else "ieee",
        "num_stages": 3,
    }


def _group(programs: int, beams: int) -> int:
    """Windows that one program takes, when one each would make so many programs."""
    group = 1
    while 2 * group <= min(MOST_WINDOWS, 16 // beams) and programs >= 2 * group * ENOUGH:
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
def _read_rows(phi, S_ptr, z_ptr, at, z_at, tile, real, read, norm, PRECISION: tl.constexpr):
    """read and norm with one block of one window's memory added, for all rows of phi.

    norm has a column for each projection of a block: it is summed up once, after all blocks.
    """
    S = tl.load(S_ptr + at, mask=tile, other=0.0)
    z = tl.load(z_ptr + z_at, mask=real, other=0.0).to(tl.float32)
    phi = phi.to(S.dtype)
    norm += phi.to(tl.float32) * z[None, :]
    return tl.dot(phi, S, read, input_precision=PRECISION), norm


@triton.jit
def _log_totals(u_ptr, known, K: tl.constexpr, PADDED_K: tl.constexpr):
    """log of the sum of exp(u) over the projections of each row that is known."""
    d = tl.arange(0, PADDED_K)[None, :]
    u = tl.load(u_ptr + d, mask=known & (d < K), other=0.0).to(tl.float32)
    return log_sums(tl.where(d < K, u, -float("inf")))


@triton.jit
def log_sums(u):
    """log of the sum of exp(u) over each row."""
    most = tl.max(u, 1)
    return most + tl.log(tl.sum(tl.exp(u - most[:, None]), 1))


@triton.jit(do_not_specialize=["B", "T"])
def cross_decode(
    q_ptr, tau_ptr, S_ptr, z_ptr, out_ptr,
    q_b, q_h, q_t, S_b, S_h, z_b, z_h, out_b, out_h, out_t, B, H, T,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    GROUP: tl.constexpr, BEAMS: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr,
    PRECISION: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """out (B, H, T, E) by GROUP windows and BEAMS beams of each, BLOCK rows together.

    Features enter the products in the precision of the memory.
    """
    call_next(EARLY)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    wait(EARLY)
    blocks = tl.cdiv(T, BEAMS)
    program, h = tl.program_id(0) // H, tl.program_id(0) % H
    first = (program // blocks).to(tl.int64) * GROUP
    row = tl.arange(0, BLOCK)
    b, t = first + row // BEAMS, (program % blocks) * BEAMS + row % BEAMS
    e = tl.arange(0, PADDED_E)
    known = ((row < GROUP * BEAMS) & (b < B) & (t < T))[:, None]
    rows = known & (e < E)[None, :]
    q_ptr += (b * q_b + h * q_h + t * q_t)[:, None]
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset = _offset(tau, MAP)
    if MAP == "spiky":
        offset = _log_totals(q_ptr, known, K, PADDED_K)[:, None]
    if TEMPERED:
        shrink = _shrink(tl.load(q_ptr + K + e[None, :], mask=rows, other=0.0), tau, EPSILON)
    read = tl.zeros((BLOCK, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK, BLOCK_K), tl.float32)
    for start in range(0, K, BLOCK_K):
        d = start + tl.arange(0, BLOCK_K)
        real, at = d < K, d[:, None] * S_d + e[None, :]
        tile = real[:, None] & (e < E)[None, :]
        u = tl.load(q_ptr + d[None, :], mask=known & real[None, :], other=0.0).to(tl.float32)
        if TEMPERED:
            u *= shrink[:, None]
        phi, phi_2 = _phi(u, offset, real[None, :], MAP, SCALE, FAST)
        for g in tl.static_range(GROUP):
            w = tl.minimum(first + g, B - 1)
            S, z = S_ptr + w * S_b + h * S_h, z_ptr + w * z_b + h * z_h
            own = (row // BEAMS == g)[:, None]  # the others add 0 to what they read elsewhere
            one, z_at = tl.where(own, phi, 0.0), d * z_d
            read, norm = _read_rows(one, S, z, at, z_at, tile, real, read, norm, PRECISION)
            if HALVES == 2:
                two, at_2, z_2 = tl.where(own, phi_2, 0.0), K * S_d + at, K * z_d + z_at
                read, norm = _read_rows(two, S, z, at_2, z_2, tile, real, read, norm, PRECISION)
    out = read / tl.maximum(tl.sum(norm, 1), MIN_NORM)[:, None]
    out_at = (b * out_b + h * out_h + t * out_t)[:, None] + e[None, :]
    tl.store(out_ptr + out_at, out.to(out_ptr.dtype.element_ty), mask=rows)


@triton.jit
def _memories(
    S_ptr, z_ptr, start, e, HALVES: tl.constexpr, S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """S and z of some features, and of their other halves; those again, if they have none."""
    d = start + tl.arange(0, BLOCK_K)
    real, at = d < K, d[:, None] * S_d + e
    tile = real[:, None] & (e < E)
    S = tl.load(S_ptr + at, mask=tile, other=0.0)
    z = tl.load(z_ptr + d * z_d, mask=real, other=0.0)
    S_2, z_2 = S, z
    if HALVES == 2:
        S_2 = tl.load(S_ptr + K * S_d + at, mask=tile, other=0.0)
        z_2 = tl.load(z_ptr + (K + d) * z_d, mask=real, other=0.0)
    return S, z, S_2, z_2


@triton.jit
def cross_decode_single(
    q_ptr, tau_ptr, S_ptr, z_ptr, out_ptr,
    q_b, q_h, S_b, S_h, z_b, z_h, out_b, out_h, H,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    BLOCK_K: tl.constexpr, SETTLED: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """out (B, H, 1, E) by one window and head. Features are rounded as the memory is."""
    call_next(EARLY)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    b, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    e = tl.arange(0, PADDED_E)[None, :]
    S_ptr += b * S_b + h * S_h
    z_ptr += b * z_b + h * z_h
    q_ptr += b * q_b + h * q_h
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset = _offset(tau, MAP)
    read = tl.zeros((BLOCK_K, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK_K,), tl.float32)
    if not SETTLED:
        wait(EARLY)
    S, z, S_2, z_2 = _memories(S_ptr, z_ptr, 0, e, HALVES, S_d, z_d, K, E, BLOCK_K)
    if SETTLED:
        wait(EARLY)
    if MAP == "spiky":
        offset = _log_total(q_ptr, K, PADDED_K)
    if TEMPERED:
        shrink = _shrink(tl.load(q_ptr + K + e, mask=e < E, other=0.0), tau, EPSILON)
    for start in tl.static_range(0, K, BLOCK_K):
        if start + BLOCK_K < K:  # on their way while these are multiplied
            coming = _memories(S_ptr, z_ptr, start + BLOCK_K, e, HALVES, S_d, z_d, K, E, BLOCK_K)
        d = start + tl.arange(0, BLOCK_K)
        u = tl.load(q_ptr + d, mask=d < K, other=0.0).to(tl.float32)
        if TEMPERED:
            u *= shrink
        phi, phi_2 = _phi(u, offset, d < K, MAP, SCALE, FAST)
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
