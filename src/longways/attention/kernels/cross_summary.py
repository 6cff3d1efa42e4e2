"""Sums S and z of a source for cross RFA as one Triton kernel, from projected keys and values.

B windows, H heads (of one layer or of all layers), N source tokens, E head size, K projections.

In plain torch every feature is read and written half a dozen times: widened, activated, scaled,
masked, rounded, moved to its head. Here one program takes one window and head and writes only the
sums.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.features import INTERPRETED
from longways.attention.kernels.fused_map import FusedMap, check_head, in_rows
from longways.attention.rfa.cross import EXTRA_COLUMNS, JointSums
from longways.attention.rfa.shapes import padded
from longways.errors import ShapeError

BLOCK_TOKENS = 64
"""Source tokens in one block of a program."""

PROGRAM_WARPS = 4


def remember_fused(u: Tensor, v: Tensor, fused: FusedMap, mask: Tensor | None) -> JointSums:
    """`rfa_remember` for a trained map, from projections u (B, H, N, K) and values v (B, H, N, E).

    u and v may be views. mask (B, N) is false on padding, and None without padding. The sums are in
    the precision of v.
    """
    _check(u, v, fused)
    batch, heads, tokens, head_dim = v.shape
    u, v = in_rows(u), in_rows(v)
    sums = v.new_empty(batch, heads, fused.projections, head_dim + EXTRA_COLUMNS)
    remember_kernel[(batch * heads,)](
        u, v, v if mask is None else mask, sums,
        *u.stride()[:3], *v.stride()[:3], 0 if mask is None else mask.stride(0), heads, tokens,
        MAP=fused.name, SCALE=fused.scale, PADDED=mask is not None,
        K=fused.projections, PADDED_K=padded(fused.projections),
        E=head_dim, PADDED_E=padded(head_dim), WIDE=padded(head_dim + EXTRA_COLUMNS),
        EXTRA_COLUMNS=EXTRA_COLUMNS,
        TOKENS=16 if INTERPRETED else BLOCK_TOKENS, num_warps=PROGRAM_WARPS,
    )  # fmt: skip
    return JointSums(sums)


def _check(u: Tensor, v: Tensor, fused: FusedMap) -> None:
    if fused.tau is not None:
        raise ShapeError(f"The map {fused.name} weighs its keys; this kernel takes trained maps.")
    check_head(v.shape[-1])
    if u.shape[:-1] != v.shape[:-1] or u.shape[-1] != fused.projections:
        raise ShapeError(
            f"The projections have shape {tuple(u.shape)} and v {tuple(v.shape)}, but both must "
            f"agree in windows, heads and tokens, and there must be {fused.projections} of them."
        )


@triton.jit
def remember_kernel(
    u_ptr, v_ptr, mask_ptr, sums_ptr, u_b, u_h, u_n, v_b, v_h, v_n, mask_b, H, N,
    MAP: tl.constexpr, SCALE: tl.constexpr, PADDED: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    WIDE: tl.constexpr, EXTRA_COLUMNS: tl.constexpr, TOKENS: tl.constexpr,
):  # fmt: skip
    """sums (K, E + EXTRA_COLUMNS) of one window and head. Features are rounded to v's precision."""
    b, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    d, e = tl.arange(0, PADDED_K)[None, :], tl.arange(0, PADDED_E)[None, :]
    u_ptr += b * u_b + h * u_h
    v_ptr += b * v_b + h * v_h
    S = tl.zeros((PADDED_K, PADDED_E), tl.float32)
    z = tl.zeros((PADDED_K,), tl.float32)
    for start in range(0, N, TOKENS):
        n = start + tl.arange(0, TOKENS)
        is_token = n < N
        u = tl.load(u_ptr + n[:, None] * u_n + d, mask=is_token[:, None] & (d < K), other=0.0)
        v = tl.load(v_ptr + n[:, None] * v_n + e, mask=is_token[:, None] & (e < E), other=0.0)
        if PADDED:
            is_token &= tl.load(mask_ptr + b * mask_b + n, mask=is_token, other=0) != 0
        phi = trained_features(u.to(tl.float32), d < K, MAP, SCALE)
        phi = tl.where(is_token[:, None] & (d < K), phi, 0.0).to(v.dtype)
        S = tl.dot(tl.trans(phi), v, S, input_precision="ieee")
        z += tl.sum(phi.to(tl.float32), 0)
    row, column = tl.arange(0, PADDED_K)[:, None], tl.arange(0, WIDE)[None, :]
    sums_ptr += (b * H + h) * K * (E + EXTRA_COLUMNS)
    at = row * (E + EXTRA_COLUMNS)
    tl.store(sums_ptr + at + e, S.to(sums_ptr.dtype.element_ty), mask=(row < K) & (e < E))
    rest = tl.where(column == E, z[:, None], 0.0).to(sums_ptr.dtype.element_ty)
    after = (column >= E) & (column < E + EXTRA_COLUMNS)
    tl.store(sums_ptr + at + column, rest, mask=(row < K) & after)


@triton.jit
def trained_features(u, is_projection, MAP: tl.constexpr, SCALE: tl.constexpr):
    """Features of the projections u (rows, K) of a trained map."""
    if MAP == "spiky":
        u = tl.where(is_projection, u, -float("inf"))
        phi = tl.exp(u - tl.max(u, 1)[:, None])
        return SCALE * phi / tl.sum(phi, 1)[:, None]
    else:  # noqa: RET505 - Triton chooses the branch at compile time
        return SCALE * tl.maximum(u, 0.0)
