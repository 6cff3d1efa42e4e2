"""Matmuls of a decoding step as Triton kernels for few rows, fused with layer norm or residual.

R rows, d inputs, N outputs.

A step of few rows is bound by the latency of its kernels. So every program computes the norm it
needs, the residual is added in the matmul's kernel, and weights are loaded before the kernel ahead
has ended.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from longways.attention.kernels.dependent_launch import (
    launch_next,
    pdl_options,
    prefetch,
    prefetch_options,
    wait,
)
from longways.attention.rfa.shapes import padded
from longways.decoding.gpu.layer_operations import Linear

# The sizes below were the fastest in a whole decoding step on an H200.

TILE_ROWS = 16
"""Rows of one program: the fewest that tensor cores take."""

PROCESSORS = 132
"""Multiprocessors of an H200. With more programs than this, each program takes twice the rows."""

NORM_COLUMNS = (64, 128)
"""Outputs of one program after a norm: with fewer than NORM_WIDE_OUTPUTS outputs, and with more."""

NORM_WIDE_OUTPUTS = 1024

NORM_WARPS = 8

NORM_PARTS = 4
"""Parts of the inputs after a norm; the sums of the parts do not depend on each other."""

SHORT_INPUTS = 512
"""Most inputs that a matmul with a residual multiplies in one block."""

SHORT_COLUMNS, SHORT_WARPS = 64, 4
"""Outputs and warps of a program with at most SHORT_INPUTS inputs."""

LONG_COLUMNS, LONG_WARPS, LONG_BLOCK_INPUTS = 32, 4, 512
"""Outputs, warps, and inputs per block of a program with more inputs."""


def norm_linear_fused(
    x: Tensor, norm: nn.LayerNorm, layer: Linear, *, late_launch: bool = False
) -> tuple[Tensor, Tensor]:
    """Layer norm of x (R, d), and a linear layer after it (R, N), in the precision of x.

    With `late_launch` the next kernel starts only when all kernels before this one have ended.
    """
    rows, dim = x.shape
    x, normed, outputs = x.contiguous(), torch.empty_like(x), len(layer.weight)
    out = x.new_empty(rows, outputs)
    columns = NORM_COLUMNS[outputs >= NORM_WIDE_OUTPUTS]
    tile_rows = _tile_rows(rows, triton.cdiv(outputs, columns))
    norm_linear_kernel[(triton.cdiv(rows, tile_rows), triton.cdiv(outputs, columns))](
        x, norm.weight, norm.bias, layer.weight, layer.bias, normed, out, rows, outputs,
        norm.eps, ACTIVATION=layer.activation, LATE_LAUNCH=late_launch, D=dim,
        PARTS=input_parts(dim, NORM_PARTS), ROWS=tile_rows, COLUMNS=columns,
        num_warps=NORM_WARPS, **pdl_options(x),
    )  # fmt: skip
    return normed, out


def linear_add_fused(x: Tensor, layer: Linear, residual: Tensor) -> Tensor:
    """A linear layer for x (R, d), added to the residual (R, N), in the residual's precision."""
    rows, dim = x.shape
    x, residual, outputs = x.contiguous(), residual.contiguous(), len(layer.weight)
    out, short = torch.empty_like(residual), dim <= SHORT_INPUTS
    columns, warps = (SHORT_COLUMNS, SHORT_WARPS) if short else (LONG_COLUMNS, LONG_WARPS)
    tile_rows = _tile_rows(rows, triton.cdiv(outputs, columns)) if short else TILE_ROWS
    linear_add_kernel[(triton.cdiv(rows, tile_rows), triton.cdiv(outputs, columns))](
        x, layer.weight, layer.bias, residual, out, rows, outputs,
        D=dim, DEPTH=min(SHORT_INPUTS if short else LONG_BLOCK_INPUTS, padded(dim)),
        ROWS=tile_rows, COLUMNS=columns, **prefetch_options(layer.weight), num_warps=warps,
        **pdl_options(x),
    )  # fmt: skip
    return out


def _tile_rows(rows: int, column_programs: int) -> int:
    """Rows of one program, with `column_programs` programs for the outputs of a row."""
    programs = triton.cdiv(rows, TILE_ROWS) * column_programs
    return TILE_ROWS if programs < PROCESSORS else 2 * TILE_ROWS


def input_parts(dim: int, limit: int) -> int:
    """Number of parts of `dim` inputs: at most `limit`, each of at least 16 for tensor cores."""
    return min(limit, dim // 16)


@triton.jit
def _add_pairs(one, square, other, other_square):
    return one + other, square + other_square


@triton.jit
def norm_parts(norm_weight_ptr, norm_bias_ptr, e, PARTS: tl.constexpr):
    """Gain and shift of the norm, in parts with columns e (1, D / PARTS)."""
    parts = ()
    for p in tl.static_range(PARTS):
        gain = tl.load(norm_weight_ptr + p * e.shape[1] + e).to(tl.float32)
        parts += ((gain, tl.load(norm_bias_ptr + p * e.shape[1] + e).to(tl.float32)),)
    return parts


@triton.jit
def weight_parts(weight_ptr, n, is_output, e, D: tl.constexpr, PARTS: tl.constexpr):
    """Rows n of weights (N, D) in parts, 0 where `is_output` is false."""
    parts = ()
    for p in tl.static_range(PARTS):
        at = weight_ptr + n[:, None] * D + p * e.shape[1] + e
        parts += (tl.load(at, mask=is_output[:, None], other=0.0),)
    return parts


@triton.jit
def norm_matmul(
    x_ptr, normed_ptr, at, mask, store_norm, weights, norm, bias, epsilon,
    D: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    """Layer norm of rows of x, multiplied by weights (N, D), plus bias, in float32.

    The first part of a row is at `at`. With `store_norm` the norm is written, too. The matmuls of
    the parts are independent: each accumulates into `zeros`, which the compiler must not know to be
    0, or else it would accumulate each part into the part before.
    """
    width: tl.constexpr = D // PARTS
    dtype: tl.constexpr = x_ptr.dtype.element_ty
    sums, squares, parts = 0.0, 0.0, ()
    for p in tl.static_range(PARTS):
        x = tl.load(x_ptr + at + p * width, mask=mask, other=0.0).to(tl.float32)
        sums, squares = sums + x, squares + x * x
        parts += (x,)
    total, square = tl.reduce((sums, squares), 1, _add_pairs)  # one exchange between warps
    mean = total / D
    scale = 1.0 / tl.sqrt(tl.maximum(square / D - mean * mean, 0.0) + epsilon)
    out = tl.zeros((at.shape[0], bias.shape[0]), tl.float32) + bias[None, :]
    zeros, products = out - out, ()
    for p in tl.static_range(PARTS):
        normed = (parts[p] - mean[:, None]) * scale[:, None] * norm[p][0] + norm[p][1]
        normed = normed.to(dtype)
        tl.store(normed_ptr + at + p * width, normed, mask=mask & store_norm)
        products += (tl.dot(normed, tl.trans(weights[p]), zeros, input_precision="ieee"),)
    for p in tl.static_range(PARTS):
        out += products[p]
    return out


@triton.jit(do_not_specialize=["R", "N"])
def norm_linear_kernel(
    x_ptr, norm_weight_ptr, norm_bias_ptr, weight_ptr, bias_ptr, normed_ptr, out_ptr, R, N, epsilon,
    ACTIVATION: tl.constexpr, LATE_LAUNCH: tl.constexpr, D: tl.constexpr, PARTS: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """ROWS rows and COLUMNS outputs; the programs of the first outputs also store the norm."""
    if not LATE_LAUNCH:
        launch_next(PDL)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    e = tl.arange(0, D // PARTS)[None, :]
    weights = weight_parts(weight_ptr, n, n < N, e, D, PARTS)
    norm = norm_parts(norm_weight_ptr, norm_bias_ptr, e, PARTS)
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    is_row = (r < R)[:, None]
    wait(PDL)
    if LATE_LAUNCH:
        launch_next(PDL)
    out = norm_matmul(
        x_ptr, normed_ptr, r[:, None] * D + e, is_row, tl.program_id(1) == 0, weights, norm, bias,
        epsilon, D, PARTS,
    )  # fmt: skip
    if ACTIVATION is not None:
        out = out.to(out_ptr.dtype.element_ty).to(tl.float32)  # torch rounds here, too
    if ACTIVATION == "gelu":
        out = 0.5 * out * (1.0 + tl.erf(out * 0.7071067811865476))
    elif ACTIVATION == "relu":
        out = tl.maximum(out, 0.0)
    elif ACTIVATION == "swish":
        out = out * tl.sigmoid(out)
    place = r[:, None] * N + n[None, :]
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=is_row & (n < N)[None, :])


@triton.jit(do_not_specialize=["R", "N"])
def linear_add_kernel(
    x_ptr, weight_ptr, bias_ptr, residual_ptr, out_ptr, R, N,
    D: tl.constexpr, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    LINE: tl.constexpr, LINES: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """ROWS rows and COLUMNS outputs. The matmul is rounded before the residual is added."""
    launch_next(PDL)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    e = tl.arange(0, DEPTH)
    weight_at = weight_ptr + n[:, None] * D + e[None, :]
    x_at = x_ptr + r[:, None] * D + e[None, :]
    rows, columns = (r < R)[:, None], (n < N)[:, None]
    place, mask = r[:, None] * N + n[None, :], rows & (n < N)[None, :]
    weights = tl.load(weight_at, mask=columns & (e < D)[None, :], other=0.0)
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    if D > DEPTH:
        prefetch(weight_ptr, n, N, D, LINE, LINES, PDL)
    wait(PDL)
    residual = tl.load(residual_ptr + place, mask=mask, other=0.0).to(tl.float32)
    x = tl.load(x_at, mask=rows & (e < D)[None, :], other=0.0)
    out = tl.dot(x, tl.trans(weights), input_precision="ieee")
    for start in tl.static_range(DEPTH, D, DEPTH):
        inputs = (start + e < D)[None, :]
        weights = tl.load(weight_at + start, mask=columns & inputs, other=0.0)
        x = tl.load(x_at + start, mask=rows & inputs, other=0.0)
        out = tl.dot(x, tl.trans(weights), out, input_precision="ieee")
    out = (out + bias[None, :]).to(out_ptr.dtype.element_ty).to(tl.float32) + residual
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=mask)
