"""Residual, norm and the product after them as one Triton kernel, for few rows.

R rows, d model size, N outputs.

A decoding step of few rows is bound by the number of its kernels. Every program normalises its
rows for itself, which costs nothing beside the weights it loads.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from longways.runtime.step_kernels import Linear

ROWS, COLUMNS = 16, 32
"""Rows and outputs of one program: many programs, since each is short."""


def norm_linear_fused(
    x: Tensor, update: Tensor | None, norm: nn.LayerNorm, product: Linear
) -> tuple[Tensor, Tensor, Tensor]:
    """x + update (R, d), the same normalised, and the product of that (R, N), all as x is."""
    rows, dim = x.shape
    x = x.contiguous()
    update = None if update is None else update.contiguous()
    total, normed = torch.empty_like(x), torch.empty_like(x)
    outputs = len(product.weight)
    out = x.new_empty(rows, outputs)
    grid = (triton.cdiv(rows, ROWS), triton.cdiv(outputs, COLUMNS))
    norm_linear_kernel[grid](
        x, x if update is None else update, norm.weight, norm.bias, product.weight, product.bias,
        total, normed, out, rows, outputs, norm.eps,
        UPDATED=update is not None, GELU=product.gelu, D=dim, ROWS=ROWS, COLUMNS=COLUMNS,
        num_warps=4,
    )  # fmt: skip
    return total, normed, out


@triton.jit(do_not_specialize=["R", "N"])
def norm_linear_kernel(
    x_ptr, update_ptr, norm_weight_ptr, norm_bias_ptr, weight_ptr, bias_ptr,
    total_ptr, normed_ptr, out_ptr, R, N, epsilon,
    UPDATED: tl.constexpr, GELU: tl.constexpr, D: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Some rows and some outputs; the first outputs also keep the sum and its norm."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    e = tl.arange(0, D)
    weights = tl.load(weight_ptr + n[:, None] * D + e[None, :], mask=(n < N)[:, None], other=0.0)
    at, real = r[:, None] * D + e[None, :], (r < R)[:, None]
    x = tl.load(x_ptr + at, mask=real, other=0.0)
    if UPDATED:
        x = (x.to(tl.float32) + tl.load(update_ptr + at, mask=real, other=0.0).to(tl.float32)).to(
            x_ptr.dtype.element_ty
        )
    wide = x.to(tl.float32)
    centred = wide - (tl.sum(wide, 1) / D)[:, None]
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, 1) / D + epsilon)
    gain = tl.load(norm_weight_ptr + e).to(tl.float32)[None, :]
    shift = tl.load(norm_bias_ptr + e).to(tl.float32)[None, :]
    normed = (centred * scale[:, None] * gain + shift).to(x_ptr.dtype.element_ty)
    first = real & (tl.program_id(1) == 0)
    tl.store(total_ptr + at, x, mask=first)
    tl.store(normed_ptr + at, normed, mask=first)
    out = tl.dot(normed, tl.trans(weights), input_precision="ieee")
    out += tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
    if GELU:
        out = out.to(out_ptr.dtype.element_ty).to(tl.float32)  # as torch rounds between the two
        out = 0.5 * out * (1.0 + tl.erf(out * 0.7071067811865476))
    place = r[:, None] * N + n[None, :]
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=real & (n < N)[None, :])
