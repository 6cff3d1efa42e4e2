"""One decoding step of cross RFA as one Triton kernel; the beams of a window share its memory.

B windows, T beams, H heads, E head size, K projections, D features.

The floor. A step reads each window's S and z once, of `m` bytes a number; it reads q and writes
out, of `size` bytes a number:

    B H (D (E + 1) m + T (N + E) size)   bytes,

where N is K, or K + E. At K = 256 and E = 64 that is 67 KB a window and head in half precision, and
twice that in float32, however many beams there are. (Projecting q here, too, would load W for every
window and head, which weighs as much as a memory.)

This module needs Triton; nothing else in the package imports it unasked.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from longways.attention.features import FeatureMap
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.cross import COLUMNS, JointSums
from longways.attention.rfa.shapes import padded
from longways.attention.rfa.triton_decode_cross_kernels import cross_decode, cross_decode_single
from longways.attention.rfa.triton_decode_map import (
    FusedMap,
    check_head,
    check_map,
    fused_inputs,
    in_rows,
)
from longways.attention.state import RFAState
from longways.attention.triton_early import early
from longways.attention.triton_features_kernels import INTERPRETED
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
