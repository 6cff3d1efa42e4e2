"""Causal RFA over a whole window as fused Triton kernels: the form for training on a GPU.

B batch, H heads, T tokens, D features, E head size.

Time grows with T squared, as in the parallel form, but memory only with T: the weights stay in
registers, and the backward pass recomputes them from the inputs, the output and its norms.

One program takes one block of tokens of one window and head. In the forward pass its queries read
all blocks of keys up to its own. In the backward pass it computes the gradients of its keys, which
the blocks after it read, and of its queries, which read the blocks before it. So no two programs
write to the same address, and every run gives the same bits. Matmuls take the inputs in their own
precision (such as bfloat16) and accumulate in float32; gates, norms and quotients are float32.

Keys enter a matmul as write * phi_k. Inside a block each pair of tokens has its own decay
exp(c_t - c_s). Between blocks the decay is split at the end of the keys' block, where c is `end`:
keys enter as write * exp(end - c_s) * phi_k, and the queries' output is multiplied by
exp(c_t - end). Both factors are at most 1, and both are vectors.

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

from longways.attention.rfa.constants import MAX_FUSED_FEATURES, MIN_KEEP, MIN_NORM
from longways.attention.rfa.shapes import check_window, padded
from longways.errors import ShapeError


def rfa_triton(phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor) -> Tensor:
    """Attend from every token to itself and all tokens before it; equal to `rfa_parallel`.

    Features, values and the output have the same precision, float32 or half; all sums are float32.
    Matmuls of float32 are exact unless `torch.backends.cuda.matmul.allow_tf32` is set. The output
    has the memory layout of v.
    """
    check_window(phi_q, phi_k, v, keep, write)
    _check_kernel(phi_q, v)
    dtype = torch.promote_types(torch.promote_types(phi_q.dtype, phi_k.dtype), v.dtype)
    phi_q, phi_k, v = (_in_rows(x.to(dtype)) for x in (phi_q, phi_k, v))
    c = keep.float().clamp_min(MIN_KEEP).log().cumsum(-1)  # (B, H, T)
    out: Tensor = _causal(phi_q, phi_k, v, c.contiguous(), write.float().contiguous())[0]
    return out


def _check_kernel(phi_q: Tensor, v: Tensor) -> None:
    if max(phi_q.shape[-1], v.shape[-1]) > MAX_FUSED_FEATURES:
        raise ShapeError(
            f"phi_q has {phi_q.shape[-1]} features and v a head size of {v.shape[-1]}, but the "
            f"Triton form takes at most {MAX_FUSED_FEATURES} of each; the chunked form takes any."
        )
    if torch.float64 in (phi_q.dtype, v.dtype):
        raise ShapeError(
            "The Triton form computes in float32 at best, but its input is float64; "
            "use the chunked form."
        )


def _in_rows(x: Tensor) -> Tensor:
    """x with a contiguous last axis, copied only if necessary."""
    return x if x.stride(-1) == 1 else x.contiguous()


@torch.library.custom_op("longways::rfa_causal", mutates_args=())
def _causal(
    phi_q: Tensor, phi_k: Tensor, v: Tensor, c: Tensor, write: Tensor
) -> tuple[Tensor, Tensor]:
    """The output and the norms (B, H, T) before their floor; c is the cumulative log keep."""
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
    """The gradients of phi_q, phi_k, v, c and write, from the gradient of the output."""
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
    ctx.set_materialize_grads(False)  # the norms get no gradient


def _differentiate(ctx: Any, dout: Tensor, _: None) -> tuple[Tensor, ...]:
    gradients: tuple[Tensor, ...] = _causal_backward(*ctx.saved_tensors, dout)
    return gradients


_causal.register_autograd(_differentiate, setup_context=_save)


def _strides(*tensors: Tensor) -> list[int]:
    """The strides of batch, head and token, tensor by tensor."""
    return [stride for tensor in tensors for stride in tensor.stride()[:3]]


def _grid(v: Tensor, block: int) -> tuple[int]:
    batch, heads, tokens = v.shape[:3]
    return (batch * heads * -(-tokens // block),)


def _sizes(phi_q: Tensor, v: Tensor) -> dict[str, Any]:
    """Compile-time constants of the kernels: up to three block sizes, one variant per dtype."""
    D, E, tokens = phi_q.shape[-1], v.shape[-1], v.shape[2]
    exact = v.dtype == torch.float32
    tf32 = torch.backends.cuda.matmul.allow_tf32
    max_block = 32 if exact else 64  # float32 tiles are twice the size
    return {
        "MIN_NORM": MIN_NORM,
        "D": D,
        "E": E,
        "PADDED_D": padded(D),
        "PADDED_E": padded(E),
        "BLOCK": min(padded(tokens), max_block),
        "PRECISION": "tf32" if exact and tf32 else "ieee",
        "num_warps": 4 if max(D, E) <= 64 else 8,
        "num_stages": 1,
    }


@triton.jit
def _place(H, T, BLOCK: tl.constexpr):
    """b * H + h, b, h and the block of tokens of this program; the longest programs come first."""
    blocks = tl.cdiv(T, BLOCK)
    program = tl.program_id(0)
    row = (program // blocks).to(tl.int64)
    return row, row // H, row % H, blocks - 1 - program % blocks


@triton.jit
def _tile(
    pointer, stride_t, start, T, SIZE: tl.constexpr, PADDED: tl.constexpr, BLOCK: tl.constexpr
):
    """Rows from `start` of a (T, SIZE) matrix, 0 beyond the window and beyond SIZE."""
    row = tl.arange(0, BLOCK)
    column = tl.arange(0, PADDED)
    mask = (row < T - start)[:, None] & (column < SIZE)[None, :]
    at = row[:, None] * stride_t + column[None, :]
    return tl.load(pointer + tl.cast(start, tl.int64) * stride_t + at, mask=mask, other=0.0)


@triton.jit
def _store_tile(pointer, stride_t, start, T, tile, SIZE: tl.constexpr):
    row = tl.arange(0, tile.shape[0])
    column = tl.arange(0, tile.shape[1])
    mask = (row < T - start)[:, None] & (column < SIZE)[None, :]
    at = row[:, None] * stride_t + column[None, :]
    to = pointer + tl.cast(start, tl.int64) * stride_t + at
    tl.store(to, tile.to(pointer.dtype.element_ty), mask=mask)


@triton.jit
def _written(k, weight):
    """Keys multiplied by their weights, in the precision of the keys."""
    return (k * weight[:, None]).to(k.dtype)


@triton.jit
def _decay_in_block(c, t, T):
    """Inside a block: the share of token s that is left at token t, 0 for the future."""
    seen = (t[:, None] >= t[None, :]) & (t < T)[:, None]
    return tl.exp(tl.where(seen, c[:, None] - c[None, :], float("-inf")))


@triton.jit
def _decay_since(c, end, t, T):
    """Between blocks: the share of the state at the `end` of a block that is left at t."""
    return tl.exp(tl.where(t < T, c - end, float("-inf")))


@triton.jit(do_not_specialize=["T"])
def causal_forward(
    q_ptr, k_ptr, v_ptr, c_ptr, write_ptr, out_ptr, norm_ptr,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, out_b, out_h, out_t,
    H, T,
    MIN_NORM: tl.constexpr, D: tl.constexpr, E: tl.constexpr,
    PADDED_D: tl.constexpr, PADDED_E: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """out (B, H, T, E), and norm (B, H, T) before its floor."""
    row, b, h, block = _place(H, T, BLOCK)
    k_ptr += b * k_b + h * k_h
    v_ptr += b * v_b + h * v_h
    c_ptr += row * T
    write_ptr += row * T

    first = block * BLOCK
    t = first + tl.arange(0, BLOCK)
    q = _tile(q_ptr + b * q_b + h * q_h, q_t, first, T, D, PADDED_D, BLOCK)
    k = _tile(k_ptr, k_t, first, T, D, PADDED_D, BLOCK)
    v = _tile(v_ptr, v_t, first, T, E, PADDED_E, BLOCK)
    c = tl.load(c_ptr + t, mask=t < T, other=0.0)
    write = tl.load(write_ptr + t, mask=t < T, other=0.0)
    scores_own = tl.dot(q, tl.trans(_written(k, write)), input_precision=PRECISION)
    weight = scores_own * _decay_in_block(c, t, T)
    norm = tl.sum(weight, 1)
    out = tl.dot(weight.to(v.dtype), v, input_precision=PRECISION)

    for start in range(0, first, BLOCK):
        s = start + tl.arange(0, BLOCK)
        k_s = _tile(k_ptr, k_t, start, T, D, PADDED_D, BLOCK)
        v_s = _tile(v_ptr, v_t, start, T, E, PADDED_E, BLOCK)
        end = tl.load(c_ptr + start + BLOCK - 1)
        written = _written(k_s, tl.load(write_ptr + s) * tl.exp(end - tl.load(c_ptr + s)))
        scores = tl.dot(q, tl.trans(written), input_precision=PRECISION)
        weight_s = scores * _decay_since(c, end, t, T)[:, None]
        norm += tl.sum(weight_s, 1)
        out = tl.dot(weight_s.to(v.dtype), v_s, out, input_precision=PRECISION)
    tl.store(norm_ptr + row * T + t, norm, mask=t < T)
    out = out / tl.maximum(norm, MIN_NORM)[:, None]
    _store_tile(out_ptr + b * out_b + h * out_h, out_t, first, T, out, E)


@triton.jit
def _norms(norm_ptr, t, T, out, dout, MIN_NORM: tl.constexpr):
    """1 / norm after its floor, and dout . out, which is 0 for a norm below the floor."""
    norm = tl.load(norm_ptr + t, mask=t < T, other=1.0)
    along = tl.sum(out.to(tl.float32) * dout.to(tl.float32), 1)
    return 1.0 / tl.maximum(norm, MIN_NORM), tl.where(norm >= MIN_NORM, along, 0.0)


@triton.jit
def _weights(q, written, decay, PRECISION: tl.constexpr):
    """phi(q_t) . written_s * decay; the decay may include the division by the norm."""
    return (tl.dot(q, tl.trans(written), input_precision=PRECISION) * decay).to(q.dtype)


@triton.jit
def _gradients(dout, v, along, decay, PRECISION: tl.constexpr):
    """The gradient of phi(q_t) . written_s, with the same decay."""
    dweight = tl.dot(dout, tl.trans(v), input_precision=PRECISION) - along[:, None]
    return (dweight * decay).to(v.dtype)


@triton.jit(do_not_specialize=["T"])
def causal_backward(
    q_ptr, k_ptr, v_ptr, c_ptr, write_ptr, out_ptr, norm_ptr, dout_ptr,
    dq_ptr, dk_ptr, dv_ptr, dc_ptr, dwrite_ptr,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, out_b, out_h, out_t, dout_b, dout_h, dout_t,
    H, T,
    MIN_NORM: tl.constexpr, D: tl.constexpr, E: tl.constexpr,
    PADDED_D: tl.constexpr, PADDED_E: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The gradients of phi_q, phi_k, v, c and write; dq and dk are contiguous, dv has out's layout.

    The gradient of c is phi(q) . dphi(q) - written . dwritten. Both sides of a pair are rounded in
    the same way, so that they cancel exactly where there is no gate between the two tokens.
    """
    row, b, h, block = _place(H, T, BLOCK)
    q_ptr += b * q_b + h * q_h
    k_ptr += b * k_b + h * k_h
    v_ptr += b * v_b + h * v_h
    out_ptr += b * out_b + h * out_h
    dv_ptr += b * out_b + h * out_h
    dout_ptr += b * dout_b + h * dout_h
    c_ptr += row * T
    write_ptr += row * T
    norm_ptr += row * T

    first = block * BLOCK
    own = first + tl.arange(0, BLOCK)
    k = _tile(k_ptr, k_t, first, T, D, PADDED_D, BLOCK)
    v = _tile(v_ptr, v_t, first, T, E, PADDED_E, BLOCK)
    c = tl.load(c_ptr + own, mask=own < T, other=0.0)
    write = tl.load(write_ptr + own, mask=own < T, other=0.0)

    end = tl.load(c_ptr + tl.minimum(first + BLOCK, T) - 1)
    left = tl.exp(tl.where(own < T, end - c, 0.0))  # share of each key at the block's end
    decayed = _written(k, write * left)
    dwritten = tl.zeros((BLOCK, PADDED_D), tl.float32)
    dv = tl.zeros((BLOCK, PADDED_E), tl.float32)
    for start in range(first + BLOCK, T, BLOCK):  # the blocks that read these keys
        t = start + tl.arange(0, BLOCK)
        q_after = _tile(q_ptr, q_t, start, T, D, PADDED_D, BLOCK)
        dout_after = _tile(dout_ptr, dout_t, start, T, E, PADDED_E, BLOCK)
        out_after = _tile(out_ptr, out_t, start, T, E, PADDED_E, BLOCK)
        c_after = tl.load(c_ptr + t, mask=t < T, other=0.0)
        inverse_after, along_after = _norms(norm_ptr, t, T, out_after, dout_after, MIN_NORM)
        decay = (_decay_since(c_after, end, t, T) * inverse_after)[:, None]
        weight = _weights(q_after, decayed, decay, PRECISION)
        dv = tl.dot(tl.trans(weight), dout_after, dv, input_precision=PRECISION)
        gradient = _gradients(dout_after, v, along_after, decay, PRECISION)
        dwritten = tl.dot(tl.trans(gradient), q_after, dwritten, input_precision=PRECISION)
    dc = -tl.sum(decayed.to(tl.float32) * dwritten, 1)
    dwritten *= left[:, None]

    q = _tile(q_ptr, q_t, first, T, D, PADDED_D, BLOCK)
    dout = _tile(dout_ptr, dout_t, first, T, E, PADDED_E, BLOCK)
    out = _tile(out_ptr, out_t, first, T, E, PADDED_E, BLOCK)
    inverse, along = _norms(norm_ptr, own, T, out, dout, MIN_NORM)
    written = _written(k, write)
    decay_own = _decay_in_block(c, own, T) * inverse[:, None]
    weight_own = _weights(q, written, decay_own, PRECISION)
    dv = tl.dot(tl.trans(weight_own), dout, dv, input_precision=PRECISION)
    _store_tile(dv_ptr, out_t, first, T, dv, E)
    gradient_own = _gradients(dout, v, along, decay_own, PRECISION)
    inside = tl.dot(tl.trans(gradient_own), q, input_precision=PRECISION)
    dc -= tl.sum(written.to(tl.float32) * inside, 1)
    dwritten += inside
    dwrite = tl.sum(k.to(tl.float32) * dwritten, 1)
    tl.store(dwrite_ptr + row * T + own, dwrite, mask=own < T)
    _store_tile(dk_ptr + row * T * D, D, first, T, dwritten * write[:, None], D)

    dq = tl.dot(gradient_own, written, input_precision=PRECISION)
    for start in range(0, first, BLOCK):  # the blocks that these queries read
        s = start + tl.arange(0, BLOCK)
        k_s = _tile(k_ptr, k_t, start, T, D, PADDED_D, BLOCK)
        v_s = _tile(v_ptr, v_t, start, T, E, PADDED_E, BLOCK)
        end_s = tl.load(c_ptr + start + BLOCK - 1)
        decayed_s = _written(k_s, tl.load(write_ptr + s) * tl.exp(end_s - tl.load(c_ptr + s)))
        decay_s = (_decay_since(c, end_s, own, T) * inverse)[:, None]
        gradient_s = _gradients(dout, v_s, along, decay_s, PRECISION)
        dq = tl.dot(gradient_s, decayed_s, dq, input_precision=PRECISION)
    dc += tl.sum(q.to(tl.float32) * dq, 1)
    tl.store(dc_ptr + row * T + own, dc, mask=own < T)
    _store_tile(dq_ptr + row * T * D, D, first, T, dq, D)
