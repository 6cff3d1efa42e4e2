"""One decoding step of softmax attention to source means as one Triton kernel.

B windows, T beams, H heads, G heads of keys, n means, E head size.

One program takes one window and one head of its keys. The H / G heads of T queries that share these
keys are the rows of one matmul. Keys and values are loaded before the kernel ahead has ended.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.dependent_launch import launch_next, pdl_options, wait
from longways.attention.rfa.shapes import padded
from longways.attention.softmax import KVMemory

PROGRAM_MAX_QUERIES = 128
"""Most queries of one head of keys that one program takes."""

BLOCK_MEANS = 64
"""Means in one block of a program."""


def serves(q: Tensor, memory: KVMemory) -> bool:
    """Whether one program can take all queries q (B, H, T, E) that share a head of keys."""
    return q.shape[1] * q.shape[2] // memory.keys.shape[1] <= PROGRAM_MAX_QUERIES


def decode_means_fused(q: Tensor, memory: KVMemory) -> Tensor:
    """Attend to the means of B windows with q (B, H, T, E), which may be a view.

    The memory must have been written before the kernel that is launched just before this one. out
    (B, H, T, E) is in the precision of q and laid out as (B, T, H, E), so that the heads can be
    joined without a copy.
    """
    batch, heads, beams, head_dim = q.shape
    keys, values = memory.keys.contiguous(), memory.values.contiguous()
    key_heads, means = keys.shape[1:3]
    out = q.new_empty(batch, beams, heads, head_dim).transpose(1, 2)
    tf32 = torch.backends.cuda.matmul.allow_tf32
    means_decode[(batch * key_heads,)](
        q, keys, values, out, *q.stride(), *out.stride()[:3], beams, head_dim**-0.5,
        G=key_heads, SHARED=heads // key_heads, N=means, E=head_dim, PADDED_E=padded(head_dim),
        BLOCK_N=min(BLOCK_MEANS, padded(means)), ROWS=padded(heads // key_heads * beams),
        PRECISION="tf32x3" if tf32 else "ieee", num_warps=4, **pdl_options(q),
    )  # fmt: skip
    return out


@triton.jit
def _tile(
    ptr, start, N: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr, BLOCK_N: tl.constexpr
):
    """A block (BLOCK_N, E) of keys or values, and the mask of its means."""
    n, e = start + tl.arange(0, BLOCK_N), tl.arange(0, PADDED_E)
    is_mean = n < N
    tile = is_mean[:, None] & (e < E)[None, :]
    return tl.load(ptr + n[:, None] * E + e[None, :], mask=tile, other=0.0), is_mean


@triton.jit(do_not_specialize=["T"])
def means_decode(
    q_ptr, k_ptr, v_ptr, out_ptr, q_b, q_h, q_t, q_e, out_b, out_h, out_t, T, scale,
    G: tl.constexpr, SHARED: tl.constexpr, N: tl.constexpr, E: tl.constexpr,
    PADDED_E: tl.constexpr, BLOCK_N: tl.constexpr, ROWS: tl.constexpr, PRECISION: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """All queries of one window and head of keys, with an online softmax over blocks."""
    launch_next(PDL)
    b, g = (tl.program_id(0) // G).to(tl.int64), tl.program_id(0) % G
    r, e = tl.arange(0, ROWS), tl.arange(0, PADDED_E)
    h, t = (r // T) * G + g, r % T
    rows = (r < SHARED * T)[:, None] & (e < E)[None, :]
    k_ptr += (b * G + g) * (N * E)
    v_ptr += (b * G + g) * (N * E)
    greatest = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    read = tl.zeros((ROWS, PADDED_E), tl.float32)
    for start in tl.static_range(0, N, BLOCK_N):
        k, is_mean = _tile(k_ptr, start, N, E, PADDED_E, BLOCK_N)
        v, _ = _tile(v_ptr, start, N, E, PADDED_E, BLOCK_N)
        if start == 0:
            wait(PDL)
            at = (b * q_b + h * q_h + t * q_t)[:, None] + (e * q_e)[None, :]
            q = tl.load(q_ptr + at, mask=rows, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale
        scores = tl.where(is_mean[None, :], scores, -float("inf"))
        new_greatest = tl.maximum(greatest, tl.max(scores, 1))
        weights = tl.exp(scores - new_greatest[:, None])
        rescale = tl.exp(greatest - new_greatest)
        read = read * rescale[:, None]
        read = tl.dot(weights.to(v.dtype), v, read, input_precision=PRECISION)
        total, greatest = total * rescale + tl.sum(weights, 1), new_greatest
    out = read / total[:, None]
    at = (b * out_b + h * out_h + t * out_t)[:, None] + e[None, :]
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=rows)
