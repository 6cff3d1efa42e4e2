"""Random features as fused Triton kernels, which write only phi to memory.

B batch, H heads, T tokens, E head size, K projections.

One program takes a block of tokens of one head, across windows, and iterates over K; the angles
u = W x^ / tau stay in registers. A half-precision x is multiplied by W first and divided by its
length and tau afterwards: x is then exact in the matmul, and only W is split into a high and a low
half-precision part for u to have the accuracy of float32.

This module needs Triton, so other modules import it only where Triton serves.
"""
# ruff: noqa: ARG001 - the fake of an operator has the same arguments as the operator
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.language.extra import libdevice

from longways.attention.rfa.constants import FEATURE_SCALE, MAX_FUSED_FEATURES, NORM_EPSILON
from longways.attention.rfa.shapes import padded
from longways.errors import ShapeError

INTERPRETED = triton.knobs.runtime.interpret
"""Whether Triton interprets kernels on the CPU, which lacks the GPU's fast sine."""


def random_features(
    x: Tensor, W: Tensor, tau: Tensor, dtype: torch.dtype, weight: Tensor | None = None
) -> Tensor:
    """FEATURE_SCALE * [sin(W x^ / tau), cos(W x^ / tau)] (B, H, T, 2 K), contiguous, in `dtype`.

    The same map as `RandomFeatures`: x (B, H, T, E) with its unit vector x^, W (H, K, E), which
    gets no gradient, tau (H,). The angles are always float32. `weight` (B, H, T), if given,
    multiplies the features of each token.
    """
    _check(x, W, tau, weight)
    x = x if x.stride(-1) == 1 else x.contiguous()
    if weight is not None:
        weight = weight.float().contiguous()
    phi: Tensor = _features(x, W.detach().float().contiguous(), tau.float(), weight, dtype)
    return phi


def _check(x: Tensor, W: Tensor, tau: Tensor, weight: Tensor | None) -> None:
    heads, _, head_dim = W.shape
    if x.ndim != 4 or (x.shape[1], x.shape[3]) != (heads, head_dim) or tau.shape != (heads,):
        raise ShapeError(
            f"x has shape {tuple(x.shape)} and tau {tuple(tau.shape)}, but W {tuple(W.shape)}: "
            "they must be (B, H, T, E), (H,) and (H, K, E)."
        )
    if weight is not None and weight.shape != x.shape[:-1]:
        raise ShapeError(
            f"weight has shape {tuple(weight.shape)}, but must be {tuple(x.shape[:-1])}: "
            "one number for each head and token."
        )
    if head_dim > MAX_FUSED_FEATURES or x.dtype == torch.float64:
        raise ShapeError(
            f"x has a head size of {head_dim} in {x.dtype}, but the Triton kernel takes at most "
            f"{MAX_FUSED_FEATURES} in float32 or less; `RandomFeatures` takes any."
        )


@torch.library.custom_op("longways::random_features", mutates_args=())
def _features(
    x: Tensor, W: Tensor, tau: Tensor, weight: Tensor | None, dtype: torch.dtype
) -> Tensor:
    phi: Tensor = _features_shape(x, W, tau, weight, dtype)
    if phi.numel():
        sizes = _sizes(x, W, weight, dtype)
        features_forward[(_programs(x, W),)](
            x, W, tau, tau if weight is None else weight, phi,
            *x.stride()[:3], x.shape[0] * x.shape[2], *x.shape[1:3], **sizes,
        )  # fmt: skip
    return phi


@_features.register_fake
def _features_shape(
    x: Tensor, W: Tensor, tau: Tensor, weight: Tensor | None, dtype: torch.dtype
) -> Tensor:
    return x.new_empty((*x.shape[:3], 2 * W.shape[1]), dtype=dtype)


@torch.library.custom_op("longways::random_features_backward", mutates_args=())
def _features_backward(
    x: Tensor, W: Tensor, tau: Tensor, weight: Tensor | None, dphi: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """dx, dtau of each program (programs / H, H), and dweight (empty without weights)."""
    dx, dtau, dweight = _features_backward_shapes(x, W, tau, weight, dphi)
    if dphi.numel():
        dphi = dphi if dphi.stride(-1) == 1 else dphi.contiguous()
        sizes = _sizes(x, W, weight, dphi.dtype)
        features_backward[(_programs(x, W),)](
            x, W, tau, tau if weight is None else weight, dphi, dx, dtau, dweight,
            *x.stride()[:3], *dphi.stride()[:3], *dx.stride()[:3],
            x.shape[0] * x.shape[2], *x.shape[1:3], **sizes,
        )  # fmt: skip
    return dx, dtau, dweight


@_features_backward.register_fake
def _features_backward_shapes(
    x: Tensor, W: Tensor, tau: Tensor, weight: Tensor | None, dphi: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    heads = x.shape[1]
    dtau = tau.new_empty((_programs(x, W) // heads, heads))
    return torch.empty_like(x), dtau, tau.new_empty(x.shape[:3] if weight is not None else (0,))


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[:4])


def _differentiate(ctx: Any, dphi: Tensor) -> tuple[Tensor, None, Tensor, Tensor | None, None]:
    dx, dtau, dweight = _features_backward(*ctx.saved_tensors, dphi)
    return dx, None, dtau.sum(0), dweight if ctx.saved_tensors[3] is not None else None, None


_features.register_autograd(_differentiate, setup_context=_save)


def _blocks(x: Tensor, W: Tensor) -> tuple[int, int]:
    """Tokens and warps of a program; with more projections, more tokens share one load of W."""
    if x.dtype == torch.float32:
        return 32, 4
    return (128, 8) if W.shape[1] > 64 else (64, 4)


def _programs(x: Tensor, W: Tensor) -> int:
    """Number of programs: the blocks of tokens, times H."""
    batch, heads, tokens, _ = x.shape
    block = _blocks(x, W)[0]
    return heads * ((batch * tokens + block - 1) // block)


def _sizes(x: Tensor, W: Tensor, weight: Tensor | None, dtype: torch.dtype) -> dict[str, Any]:
    """Compile-time constants of the kernels."""
    block, warps = _blocks(x, W)
    tf32 = torch.backends.cuda.matmul.allow_tf32
    return {
        "SCALE": FEATURE_SCALE,
        "EPSILON": NORM_EPSILON,
        "WEIGHTED": weight is not None,
        "FAST": dtype != torch.float32 and not INTERPRETED,
        "K": W.shape[1],
        "E": W.shape[2],
        "PADDED_E": padded(W.shape[2]),
        "BLOCK": block,
        "BLOCK_K": min(32, padded(W.shape[1])),
        "PRECISION": "tf32x3" if tf32 else "ieee",
        "num_warps": warps,
        "num_stages": 2,
    }


@triton.jit
def _place(tokens, H, T, BLOCK: tl.constexpr):
    """The head of this program, and for each of its tokens a mask, its b and its t."""
    program = tl.program_id(0)
    token = (program // H) * BLOCK + tl.arange(0, BLOCK)
    return (program % H).to(tl.int64), token < tokens, (token // T).to(tl.int64), token % T


@triton.jit
def _rows_of_W(
    W_ptr, h, start, K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr, BLOCK_K: tl.constexpr
):
    """Rows from `start` of W for head h, 0 beyond K and E: (BLOCK_K, PADDED_E)."""
    k = start + tl.arange(0, BLOCK_K)
    e = tl.arange(0, PADDED_E)
    mask = (k < K)[:, None] & (e < E)[None, :]
    return tl.load(W_ptr + h * K * E + k[:, None] * E + e[None, :], mask=mask, other=0.0)


@triton.jit
def _project(x, W, PRECISION: tl.constexpr):
    """x W^T with the accuracy of float32; for half-precision x, W is split in two."""
    if x.dtype == tl.float32:
        u = tl.dot(x, tl.trans(W), input_precision=PRECISION)
    else:
        high = W.to(x.dtype)
        low = (W - high.to(tl.float32)).to(x.dtype)
        u = tl.dot(x, tl.trans(low))
        u = tl.dot(x, tl.trans(high), u)
    return u


@triton.jit
def _sin_cos(u, FAST: tl.constexpr):
    """sin(u) and cos(u); the fast versions err by 1e-6 for |u| < 40, which half precision hides."""
    if FAST:
        return libdevice.fast_sinf(u), libdevice.fast_cosf(u)
    else:  # noqa: RET505 - Triton chooses the branch at compile time
        return tl.sin(u), tl.cos(u)


@triton.jit(do_not_specialize=["tokens", "T"])
def features_forward(
    x_ptr, W_ptr, tau_ptr, weight_ptr, phi_ptr,
    x_b, x_h, x_t, tokens, H, T,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, WEIGHTED: tl.constexpr, FAST: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    BLOCK: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """phi (B, H, T, 2 K), contiguous, multiplied by the weight of each token if WEIGHTED."""
    h, real, b, t = _place(tokens, H, T, BLOCK)
    e = tl.arange(0, PADDED_E)
    at = h * x_h + b * x_b + t * x_t
    x = tl.load(x_ptr + at[:, None] + e[None, :], mask=real[:, None] & (e < E)[None, :], other=0.0)
    wide = x.to(tl.float32)
    length = tl.sqrt(tl.sum(wide * wide, 1)) + EPSILON
    inverse = 1.0 / (length * tl.load(tau_ptr + h))
    row = (b * H + h) * T + t
    scale = tl.full((BLOCK,), SCALE, tl.float32)
    if WEIGHTED:
        scale *= tl.load(weight_ptr + row, mask=real, other=0.0)
    for start in range(0, K, BLOCK_K):
        W = _rows_of_W(W_ptr, h, start, K, E, PADDED_E, BLOCK_K)
        sin, cos = _sin_cos(_project(x, W, PRECISION) * inverse[:, None], FAST)
        k = start + tl.arange(0, BLOCK_K)
        to = phi_ptr + row[:, None] * (2 * K) + k[None, :]
        mask = real[:, None] & (k < K)[None, :]
        tl.store(to, (sin * scale[:, None]).to(phi_ptr.dtype.element_ty), mask=mask)
        tl.store(to + K, (cos * scale[:, None]).to(phi_ptr.dtype.element_ty), mask=mask)


@triton.jit(do_not_specialize=["tokens", "T"])
def features_backward(
    x_ptr, W_ptr, tau_ptr, weight_ptr, dphi_ptr, dx_ptr, dtau_ptr, dweight_ptr,
    x_b, x_h, x_t, dphi_b, dphi_h, dphi_t, dx_b, dx_h, dx_t, tokens, H, T,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, WEIGHTED: tl.constexpr, FAST: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    BLOCK: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The gradients of x and the weights, and each program's term of the gradient of tau.

    With u = r W x / tau and r = 1 / (|x| + eps): dx = r (W^T du / tau - x (u . du) / |x|) and
    dtau = -(u . du) / tau.
    """
    h, real, b, t = _place(tokens, H, T, BLOCK)
    e = tl.arange(0, PADDED_E)
    mask_x = real[:, None] & (e < E)[None, :]
    at = h * x_h + b * x_b + t * x_t
    x = tl.load(x_ptr + at[:, None] + e[None, :], mask=mask_x, other=0.0)
    wide = x.to(tl.float32)
    length = tl.sqrt(tl.sum(wide * wide, 1))
    r = 1.0 / (length + EPSILON)
    tau = tl.load(tau_ptr + h)
    row = (b * H + h) * T + t
    scale = tl.full((BLOCK,), SCALE, tl.float32)
    if WEIGHTED:
        scale *= tl.load(weight_ptr + row, mask=real, other=0.0)
    dweight = tl.zeros((BLOCK,), tl.float32)
    along = tl.zeros((BLOCK,), tl.float32)  # u . du
    dx = tl.zeros((BLOCK, PADDED_E), tl.float32)
    from_ = dphi_ptr + (h * dphi_h + b * dphi_b + t * dphi_t)[:, None]
    for start in range(0, K, BLOCK_K):
        W = _rows_of_W(W_ptr, h, start, K, E, PADDED_E, BLOCK_K)
        k = start + tl.arange(0, BLOCK_K)
        mask = real[:, None] & (k < K)[None, :]
        dsin = tl.load(from_ + k[None, :], mask=mask, other=0.0).to(tl.float32)
        dcos = tl.load(from_ + K + k[None, :], mask=mask, other=0.0).to(tl.float32)
        u = _project(x, W, PRECISION) * (r / tau)[:, None]
        sin, cos = _sin_cos(u, FAST)
        du = (cos * dsin - sin * dcos) * scale[:, None]
        along += tl.sum(u * du, 1)
        if WEIGHTED:
            dweight += tl.sum(sin * dsin + cos * dcos, 1)
        dx = tl.dot(du.to(x.dtype), W.to(x.dtype), dx, input_precision=PRECISION)
    shrink = along / tl.where(length > 0, length, 1.0)  # where x is 0, so is u . du
    dx = (dx / tau - wide * shrink[:, None]) * r[:, None]
    at = h * dx_h + b * dx_b + t * dx_t
    tl.store(dx_ptr + at[:, None] + e[None, :], dx.to(dx_ptr.dtype.element_ty), mask=mask_x)
    tl.store(dtau_ptr + tl.program_id(0), -tl.sum(along, 0) / tau)
    if WEIGHTED:
        tl.store(dweight_ptr + row, dweight * SCALE, mask=real)
