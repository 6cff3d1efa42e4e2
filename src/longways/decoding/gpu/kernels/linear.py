"""Products of a decoding step as Triton kernels for few rows, with what comes before and after.

R rows, d inputs, N outputs.

A step of few rows is bound by the latency of its kernels. So a norm is taken by every program that
needs it, a residual is added to what was just computed, and weights are on their way before the
kernel ahead has ended.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from longways.attention.kernels.dependent_launch import call_next, early, fetch, lines, wait
from longways.attention.rfa.shapes import padded
from longways.decoding.gpu.layer_operations import Linear

ROWS = 16
"""Rows of one program: the least that matrix units take, since each is short."""

PROCESSORS = 132
"""Of a large GPU. A program has one nearly for itself, so beyond that each takes more rows."""

COLUMNS_AFTER_NORM = (64, 128)
"""Outputs of one program after a norm: of fewer than MANY, and of more."""

MANY = 1024

WARPS_AFTER_NORM = 8

PARTS = 4
"""Into which the inputs after a norm are cut: a sum that waits for another is a quarter as long."""

SHORT = 512
"""Inputs up to which a product with a residual multiplies all at once."""

COLUMNS_SHORT = 64
WARPS_SHORT = 4
"""Outputs, and warps, of one program that does."""

COLUMNS_LONG = 32
WARPS_LONG = 4
DEPTH_LONG = 512
"""Those of one that has more inputs, and how many it takes in one turn.

These numbers were the fastest of those tried on an H200, in the chain of a whole step."""


def norm_linear_fused(
    x: Tensor, norm: nn.LayerNorm, product: Linear, *, late: bool = False
) -> tuple[Tensor, Tensor]:
    """x (R, d) normalised, and the product of that (R, N), both as x is.

    `late` says that the next kernel is called only when all before this one has ended.
    """
    rows, dim = x.shape
    x, normed, outputs = x.contiguous(), torch.empty_like(x), len(product.weight)
    out = x.new_empty(rows, outputs)
    columns = COLUMNS_AFTER_NORM[outputs >= MANY]
    taken = _rows(rows, triton.cdiv(outputs, columns))
    norm_linear_kernel[(triton.cdiv(rows, taken), triton.cdiv(outputs, columns))](
        x, norm.weight, norm.bias, product.weight, product.bias, normed, out, rows, outputs,
        norm.eps, GELU=product.gelu, LATE=late, D=dim, PARTS=parts_of(dim, PARTS), ROWS=taken,
        COLUMNS=columns, num_warps=WARPS_AFTER_NORM, **early(x),
    )  # fmt: skip
    return normed, out


def linear_add_fused(x: Tensor, product: Linear, residual: Tensor) -> Tensor:
    """The product of x (R, d), added to the residual (R, N), in its precision."""
    rows, dim = x.shape
    x, residual, outputs = x.contiguous(), residual.contiguous(), len(product.weight)
    out, short = torch.empty_like(residual), dim <= SHORT
    columns, warps = (COLUMNS_SHORT, WARPS_SHORT) if short else (COLUMNS_LONG, WARPS_LONG)
    taken = _rows(rows, triton.cdiv(outputs, columns)) if short else ROWS
    linear_add_kernel[(triton.cdiv(rows, taken), triton.cdiv(outputs, columns))](
        x, product.weight, product.bias, residual, out, rows, outputs,
        D=dim, DEPTH=min(SHORT if short else DEPTH_LONG, padded(dim)), ROWS=taken,
        COLUMNS=columns, **lines(product.weight), num_warps=warps, **early(x),
    )  # fmt: skip
    return out


def _rows(rows: int, columns: int) -> int:
    """Rows of a program, where all rows are multiplied by so many programs side by side."""
    return ROWS if triton.cdiv(rows, ROWS) * columns < PROCESSORS else 2 * ROWS


def parts_of(dim: int, most: int) -> int:
    """Parts of so many inputs, each as deep as matrix units want it at least."""
    return min(most, dim // 16)


@triton.jit
def _plus(one, square, other, other_square):
    return one + other, square + other_square


@triton.jit
def norm_parts(norm_weight_ptr, norm_bias_ptr, e, PARTS: tl.constexpr):
    """Gain and shift of every part of a row, whose columns e (1, D / PARTS) are."""
    parts = ()
    for p in tl.static_range(PARTS):
        gain = tl.load(norm_weight_ptr + p * e.shape[1] + e).to(tl.float32)
        parts += ((gain, tl.load(norm_bias_ptr + p * e.shape[1] + e).to(tl.float32)),)
    return parts


@triton.jit
def weight_parts(weight_ptr, n, real, e, D: tl.constexpr, PARTS: tl.constexpr):
    """Rows n of weights (N, D), those that are real, in parts."""
    parts = ()
    for p in tl.static_range(PARTS):
        at = weight_ptr + n[:, None] * D + p * e.shape[1] + e
        parts += (tl.load(at, mask=real[:, None], other=0.0),)
    return parts


@triton.jit
def norm_product(
    x_ptr, normed_ptr, at, real, first, weights, norm, bias, epsilon,
    D: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    """Rows of x normalised, multiplied by weights (N, D): in float32, with the bias.

    Each part is at `at`, further on by its width; `first` says that the norm itself is written,
    too. The products of parts do not wait for each other. They would, if the compiler knew that
    all begin with nothing: it would have each go on from the one before.
    """
    width: tl.constexpr = D // PARTS
    dtype: tl.constexpr = x_ptr.dtype.element_ty
    sums, squares, parts = 0.0, 0.0, ()
    for p in tl.static_range(PARTS):
        x = tl.load(x_ptr + at + p * width, mask=real, other=0.0).to(tl.float32)
        sums, squares = sums + x, squares + x * x
        parts += (x,)
    total, square = tl.reduce((sums, squares), 1, _plus)  # both at once: warps must be joined
    mean = total / D
    scale = 1.0 / tl.sqrt(tl.maximum(square / D - mean * mean, 0.0) + epsilon)
    out = tl.zeros((at.shape[0], bias.shape[0]), tl.float32) + bias[None, :]
    nothing, products = out - out, ()
    for p in tl.static_range(PARTS):
        normed = (parts[p] - mean[:, None]) * scale[:, None] * norm[p][0] + norm[p][1]
        normed = normed.to(dtype)
        tl.store(normed_ptr + at + p * width, normed, mask=real & first)
        products += (tl.dot(normed, tl.trans(weights[p]), nothing, input_precision="ieee"),)
    for p in tl.static_range(PARTS):
        out += products[p]
    return out


@triton.jit(do_not_specialize=["R", "N"])
def norm_linear_kernel(
    x_ptr, norm_weight_ptr, norm_bias_ptr, weight_ptr, bias_ptr, normed_ptr, out_ptr, R, N, epsilon,
    GELU: tl.constexpr, LATE: tl.constexpr, D: tl.constexpr, PARTS: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """Some rows and some outputs; the first outputs also keep the norm."""
    if not LATE:
        call_next(EARLY)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    e = tl.arange(0, D // PARTS)[None, :]
    weights = weight_parts(weight_ptr, n, n < N, e, D, PARTS)
    norm = norm_parts(norm_weight_ptr, norm_bias_ptr, e, PARTS)
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    real = (r < R)[:, None]
    wait(EARLY)
    if LATE:
        call_next(EARLY)
    out = norm_product(
        x_ptr, normed_ptr, r[:, None] * D + e, real, tl.program_id(1) == 0, weights, norm, bias,
        epsilon, D, PARTS,
    )  # fmt: skip
    if GELU:
        out = out.to(out_ptr.dtype.element_ty).to(tl.float32)  # as torch rounds between the two
        out = 0.5 * out * (1.0 + tl.erf(out * 0.7071067811865476))
    place = r[:, None] * N + n[None, :]
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=real & (n < N)[None, :])


@triton.jit(do_not_specialize=["R", "N"])
def linear_add_kernel(
    x_ptr, weight_ptr, bias_ptr, residual_ptr, out_ptr, R, N,
    D: tl.constexpr, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    LINE: tl.constexpr, LINES: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """Some rows and some outputs. The product is rounded before it is added, as torch would."""
    call_next(EARLY)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    e = tl.arange(0, DEPTH)
    weight_at = weight_ptr + n[:, None] * D + e[None, :]
    x_at = x_ptr + r[:, None] * D + e[None, :]
    rows, columns = (r < R)[:, None], (n < N)[:, None]
    place, mine = r[:, None] * N + n[None, :], rows & (n < N)[None, :]
    weights = tl.load(weight_at, mask=columns & (e < D)[None, :], other=0.0)
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    if D > DEPTH:
        fetch(weight_ptr, n, N, D, LINE, LINES, EARLY)
    wait(EARLY)
    residual = tl.load(residual_ptr + place, mask=mine, other=0.0).to(tl.float32)
    x = tl.load(x_at, mask=rows & (e < D)[None, :], other=0.0)
    out = tl.dot(x, tl.trans(weights), input_precision="ieee")
    for start in tl.static_range(DEPTH, D, DEPTH):
        real = (start + e < D)[None, :]
        weights = tl.load(weight_at + start, mask=columns & real, other=0.0)
        x = tl.load(x_at + start, mask=rows & real, other=0.0)
        out = tl.dot(x, tl.trans(weights), out, input_precision="ieee")
    out = (out + bias[None, :]).to(out_ptr.dtype.element_ty).to(tl.float32) + residual
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=mine)
