"""Causal RFA over a whole window as fused Triton kernels: the form for training on a GPU.

B batch, H heads, T tokens, D features, E head size.

Time grows with T squared, as in the parallel form, but memory only with T: the weights live in
registers, and the backward pass computes them again from the inputs, the output and its norms.
This module needs Triton; nothing else in the package imports it unasked.
"""
# ruff: noqa: ARG001 - the shapes of an operator are asked for with all that it is called with

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from longways.attention.rfa.constants import MIN_KEEP, MIN_NORM, MOST_FEATURES
from longways.attention.rfa.shapes import check_window, padded
from longways.attention.rfa.triton_causal_kernels import causal_backward, causal_forward
from longways.errors import ShapeError


def rfa_triton(phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor) -> Tensor:
    """Attend from every token to itself and all before it: the same numbers as `rfa_parallel`.

    Features and values keep their precision, float32 or half, and so does the output; all sums
    are float32. Products of float32 are exact unless PyTorch's own may be tf32
    (`torch.backends.cuda.matmul.allow_tf32`). The output is laid out in memory as v is.
    """
    check_window(phi_q, phi_k, v, keep, write)
    _check_kernel(phi_q, v)
    dtype = torch.promote_types(torch.promote_types(phi_q.dtype, phi_k.dtype), v.dtype)
    phi_q, phi_k, v = (_in_rows(x.to(dtype)) for x in (phi_q, phi_k, v))
    c = keep.float().clamp_min(MIN_KEEP).log().cumsum(-1)  # (B, H, T)
    out: Tensor = _causal(phi_q, phi_k, v, c.contiguous(), write.float().contiguous())[0]
    return out


def _check_kernel(phi_q: Tensor, v: Tensor) -> None:
    if max(phi_q.shape[-1], v.shape[-1]) > MOST_FEATURES:
        raise ShapeError(
            f"phi_q has {phi_q.shape[-1]} features and v a head size of {v.shape[-1]}, but the "
            f"Triton form takes at most {MOST_FEATURES} of each; the chunked form takes any."
        )
    if torch.float64 in (phi_q.dtype, v.dtype):
        raise ShapeError(
            "The Triton form computes in float32 at best, but its input is float64; "
            "use the chunked form."
        )


def _in_rows(x: Tensor) -> Tensor:
    """x with its last axis contiguous, copied only if it must be."""
    return x if x.stride(-1) == 1 else x.contiguous()


@torch.library.custom_op("longways::rfa_causal", mutates_args=())
def _causal(
    phi_q: Tensor, phi_k: Tensor, v: Tensor, c: Tensor, write: Tensor
) -> tuple[Tensor, Tensor]:
    """The output, and the norms (B, H, T) before their floor; c sums up the log keeps."""
    out, norm = _causal_shapes(phi_q, phi_k, v, c, write)
    if out.numel():
        sizes = _sizes(phi_q, v)
        causal_forward[_grid(v, sizes["BLOCK"])](
            phi_q, phi_k, v, c, write, out, norm,
            *_strides(phi_q, phi_k, v, out), *v.shape[1:3], **sizes,
        )  # fmt: skip
    return out, norm


@_causal.register_fake
def _causal_shapes(
    phi_q: Tensor, phi_k: Tensor, v: Tensor, c: Tensor, write: Tensor
) -> tuple[Tensor, Tensor]:
    return torch.empty_like(v), torch.empty_like(c, memory_format=torch.contiguous_format)


@torch.library.custom_op("longways::rfa_causal_backward", mutates_args=())
def _causal_backward(
    phi_q: Tensor,
    phi_k: Tensor,
    v: Tensor,
    c: Tensor,
    write: Tensor,
    out: Tensor,
    norm: Tensor,
    dout: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of the first five, given that of the output."""
    gradients: tuple[Tensor, Tensor, Tensor, Tensor, Tensor] = _causal_backward_shapes(
        phi_q, phi_k, v, c, write, out, norm, dout
    )
    if out.numel():
        dout, sizes = _in_rows(dout), _sizes(phi_q, v)
        causal_backward[_grid(v, sizes["BLOCK"])](
            phi_q, phi_k, v, c, write, out, norm, dout, *gradients,
            *_strides(phi_q, phi_k, v, out, dout), *v.shape[1:3], **sizes,
        )  # fmt: skip
    return gradients


@_causal_backward.register_fake
def _causal_backward_shapes(
    phi_q: Tensor,
    phi_k: Tensor,
    v: Tensor,
    c: Tensor,
    write: Tensor,
    out: Tensor,
    norm: Tensor,
    dout: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    dq, dk, dc, dwrite = (
        torch.empty_like(x, memory_format=torch.contiguous_format) for x in (phi_q, phi_k, c, write)
    )
    return (
        dq,
        dk,
        torch.empty_strided(out.shape, out.stride(), dtype=v.dtype, device=v.device),
        dc,
        dwrite,
    )


def _save(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs, *output)
    ctx.set_materialize_grads(False)  # nobody differentiates by the norms


def _differentiate(ctx: Any, dout: Tensor, _: None) -> tuple[Tensor, ...]:
    gradients: tuple[Tensor, ...] = _causal_backward(*ctx.saved_tensors, dout)
    return gradients


_causal.register_autograd(_differentiate, setup_context=_save)


def _strides(*tensors: Tensor) -> list[int]:
    """Of batch, head and token, tensor by tensor."""
    return [step for tensor in tensors for step in tensor.stride()[:3]]


def _grid(v: Tensor, block: int) -> tuple[int]:
    batch, heads, tokens = v.shape[:3]
    return (batch * heads * -(-tokens // block),)


def _sizes(phi_q: Tensor, v: Tensor) -> dict[str, Any]:
    """What a kernel is compiled for: three lengths of block, and one variant for each dtype."""
    D, E, tokens = phi_q.shape[-1], v.shape[-1], v.shape[2]
    exact = v.dtype == torch.float32
    tf32 = torch.backends.cuda.matmul.allow_tf32
    longest = 32 if exact else 64  # float32 tiles are twice the size
    return {
        "MIN_NORM": MIN_NORM,
        "D": D,
        "E": E,
        "PADDED_D": padded(D),
        "PADDED_E": padded(E),
        "BLOCK": min(padded(tokens), longest),
        "PRECISION": "tf32" if exact and tf32 else "ieee",
        "num_warps": 4 if max(D, E) <= 64 else 8,
        "num_stages": 1,
    }
