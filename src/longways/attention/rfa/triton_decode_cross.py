"""One decoding step of cross RFA as one Triton kernel; the beams of a window share its memory.

B windows, T beams, H heads, E head size, K projections, D features.

The floor. A step reads each window's S and z once, of `m` bytes a number, and W; it reads q and
writes out, of `size` bytes a number:

    B H (D (E + 1) m + 2 T E size) + 4 H K E   bytes.

At K = 256 and E = 64 that is 67 KB a window and head in half precision, and twice that in float32,
however many beams there are. W weighs as much as one such memory in half precision: all but the
first find it in the cache, and a program that takes several windows loads it once for them.

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
from longways.attention.rfa.triton_decode_map import FusedMap, check_map, fused_map, in_rows
from longways.attention.state import RFAState
from longways.attention.triton_early import early
from longways.attention.triton_features_kernels import INTERPRETED
from longways.errors import ShapeError

MOST_BEAMS = 64
"""Beams of a window that one program takes; more of them are shared out."""

MOST_WINDOWS = 4
"""Windows that share one load of W; more of them would no longer be felt."""

ENOUGH = 256
"""Programs that keep a large GPU busy, two for each processor: windows are grouped beyond that."""

TILE = 16_384
"""Bytes of S that a program has on their way for one block of projections, W and z aside."""


SINGLE_TILE = 2048
"""Numbers of each half of S, and of W, that a program for a single beam holds at once."""


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
    out in memory as (B, T, H, E), so that joining the heads moves nothing. A memory in half
    precision is multiplied by features in half precision, as matrix units like it, and summed in
    float32; one in float32 by float32. `settled` says that the kernel launched just before this one
    does not write the memory, so that it may be read before it has ended. There are no gradients.
    """
    fused = phi if isinstance(phi, FusedMap) else fused_map(phi, W)
    check_map(q, "(B, H, T, E)", fused)
    S, z = _sums(memory)
    _check(q, fused, S, z)
    batch, heads, beams, head_dim = q.shape
    out = q.new_empty(batch, beams, heads, head_dim).transpose(1, 2)
    if out.numel():
        _launch(in_rows(q), fused, in_rows(S), z, out, settled)
    return out


def _sums(memory: RFAState | JointSums) -> tuple[Tensor, Tensor]:
    """S (B, H, D, E) and z (B, H, D): views, whichever way the memory keeps them."""
    if isinstance(memory, RFAState):
        return memory.S, memory.z
    return memory.sums[..., :-COLUMNS], memory.sums[..., -COLUMNS]


def _launch(q: Tensor, fused: FusedMap, S: Tensor, z: Tensor, out: Tensor, settled: bool) -> None:
    batch, heads, beams, _ = q.shape
    steps = *S.stride()[:2], *z.stride()[:2]
    if beams == 1:
        cross_decode_single[(batch * heads,)](
            q, fused.W, fused.tau, fused.bias, S, z, out,
            *q.stride()[:2], *steps, *out.stride()[:2], heads,
            **_single_sizes(q, fused, S, z), SETTLED=settled, **early(q),
        )  # fmt: skip
        return
    sizes = _sizes(q, fused, S, z)
    programs = heads * -(-batch // sizes["GROUP"]) * -(-beams // sizes["BEAMS"])
    cross_decode[(programs,)](
        q, fused.W, fused.tau, fused.bias, S, z, out,
        *q.stride()[:3], *steps, *out.stride()[:3], batch, heads, beams, **sizes, **early(q),
    )  # fmt: skip


def _shared_sizes(q: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    """What both kernels are compiled for.

    The strides of S and z over features are part of it: the eight columns after those of S keep
    its rows aligned, and the compiler must know that to load sixteen bytes at a time.
    """
    return fused.constants | {
        "FAST": q.dtype != torch.float32 and not INTERPRETED,
        "MIN_NORM": MIN_NORM,
        "S_d": S.stride(2),
        "z_d": z.stride(2),
        "PADDED_E": padded(q.shape[-1]),
        "num_warps": 4,
    }


def _single_sizes(q: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    fitting = SINGLE_TILE // padded(q.shape[-1])
    return _shared_sizes(q, fused, S, z) | {"BLOCK_K": min(padded(fused.W.shape[1]), fitting)}


def _sizes(q: Tensor, fused: FusedMap, S: Tensor, z: Tensor) -> dict[str, Any]:
    head, tf32 = padded(q.shape[-1]), torch.backends.cuda.matmul.allow_tf32
    beams = min(1 << (q.shape[2] - 1).bit_length(), MOST_BEAMS)
    group = _group(q.shape[0] * q.shape[1], beams)
    fitting = TILE // (max(group, 2) * head * S.itemsize)
    return _shared_sizes(q, fused, S, z) | {
        "GROUP": group,
        "BEAMS": beams,
        "BLOCK": padded(group * beams),
        "BLOCK_K": max(16, min(padded(fused.W.shape[1]), fitting, 64)),
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
    batch, heads, _, head_dim = q.shape
    wanted = batch, heads, fused.features, head_dim
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
