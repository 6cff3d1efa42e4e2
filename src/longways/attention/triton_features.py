"""Random features as fused Triton kernels: phi is written once, and nothing else.

B batch, H heads, T tokens, E head size, K projections.

This module needs Triton; nothing else in the package imports it unasked.
"""
# ruff: noqa: ARG001 - the shapes of an operator are asked for with all that it is called with

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from longways.attention.rfa.constants import FEATURE_SCALE, MOST_FEATURES, NORM_EPSILON
from longways.attention.rfa.shapes import padded
from longways.attention.triton_features_kernels import (
    INTERPRETED,
    features_backward,
    features_forward,
)
from longways.errors import ShapeError


def random_features(
    x: Tensor, W: Tensor, tau: Tensor, dtype: torch.dtype, weight: Tensor | None = None
) -> Tensor:
    """FEATURE_SCALE * [sin(W x^ / tau), cos(W x^ / tau)] (B, H, T, 2 K), contiguous, in `dtype`.

    The same map as `RandomFeatures`: x (B, H, T, E) with its unit x^, W (H, K, E), which gets no
    gradient, tau (H,). The angles are float32 whatever x and phi are. `weight` (B, H, T), if
    given, multiplies the features of each token, as `write` does those of a key.
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
    if head_dim > MOST_FEATURES or x.dtype == torch.float64:
        raise ShapeError(
            f"x has a head size of {head_dim} in {x.dtype}, but the Triton kernel takes at most "
            f"{MOST_FEATURES} in float32 or less; `RandomFeatures` takes any."
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
    """dx, each program's share of dtau (programs / H, H), and dweight (empty without weights)."""
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
    """Tokens of a program, and its warps: the more projections, the more tokens share one W."""
    if x.dtype == torch.float32:
        return 32, 4
    return (128, 8) if W.shape[1] > 64 else (64, 4)


def _programs(x: Tensor, W: Tensor) -> int:
    """How many programs share the work: whole blocks of tokens, H times."""
    batch, heads, tokens, _ = x.shape
    block = _blocks(x, W)[0]
    return heads * ((batch * tokens + block - 1) // block)


def _sizes(x: Tensor, W: Tensor, weight: Tensor | None, dtype: torch.dtype) -> dict[str, Any]:
    """What a kernel is compiled for."""
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
