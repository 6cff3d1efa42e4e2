"""Softmax attention to a range of keys for each query, as fused Triton kernels with gradients.

B batch, H heads, T queries, N keys, E head size.

Query t of a window reads the keys first_t to after_t - 1; both grow with t, as the sentences of a
text do. A block of queries visits only the blocks of keys in its range, so time grows with the
lengths of the sentences and not with the length of the window. Weights stay in registers; the
backward pass recomputes them from the inputs and the log-sum-exp of the scores.

One program takes one block of queries, or in the backward pass one block of keys, of one window and
head. No two programs write to the same address, so every run gives the same bits. Matmuls take the
inputs in their own precision and accumulate in float32; softmax is float32. The output of a query
without keys is 0, and so are its gradients.

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

from longways.attention.kernels.causal import _in_rows, _store_tile, _strides, _tile
from longways.attention.rfa.constants import MAX_FUSED_FEATURES
from longways.attention.rfa.shapes import padded
from longways.errors import ShapeError

MAX_BLOCK = 32
"""Queries or keys of a program. Sentences are short, and a larger block reads more of its
neighbours'."""


def range_attention_fused(q: Tensor, k: Tensor, v: Tensor, first: Tensor, after: Tensor) -> Tensor:
    """Attend from q (B, H, T, E) to the keys first_t to after_t - 1 of k and v (B, H, N, E).

    `first` and `after` (B, T) never decrease. The output has the memory layout of q.
    """
    if q.shape[-1] > MAX_FUSED_FEATURES:
        raise ShapeError(
            f"q has a head size of {q.shape[-1]}, but the kernel takes at most "
            f"{MAX_FUSED_FEATURES}; masked softmax attention takes any."
        )
    q, k, v = (_in_rows(x) for x in (q, k, v))
    first, after = (x.int().contiguous() for x in (first, after))
    out: Tensor = _attend(q, k, v, first, after)[0]
    return out


@torch.library.custom_op("longways::range_attention", mutates_args=())
def _attend(q: Tensor, k: Tensor, v: Tensor, first: Tensor, after: Tensor) -> tuple[Tensor, Tensor]:
    """The output and the log-sum-exp (B, H, T) of the scores."""
    out, lse = _attend_shapes(q, k, v, first, after)
    if out.numel():
        sizes = _sizes(q, k)
        range_forward[_grid(q, sizes["BLOCK"])](
            q, k, v, first, after, out, lse,
            *_strides(q, k, v, out), q.shape[1], q.shape[2], k.shape[2],
            q.shape[-1] ** -0.5, **sizes,
        )  # fmt: skip
    return out, lse


@_attend.register_fake
def _attend_shapes(
    q: Tensor, k: Tensor, v: Tensor, first: Tensor, after: Tensor
) -> tuple[Tensor, Tensor]:
    return torch.empty_like(q), torch.empty(q.shape[:3], dtype=torch.float32, device=q.device)


@torch.library.custom_op("longways::range_attention_backward", mutates_args=())
def _attend_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    first: Tensor,
    after: Tensor,
    out: Tensor,
    lse: Tensor,
    dout: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v, from the gradient of the output."""
    dq, dk, dv = (torch.empty_like(x) for x in (q, k, v))
    if not out.numel():
        return dq, dk.zero_(), dv.zero_()
    dout, sizes = _in_rows(dout), _sizes(q, k)
    along = (out.float() * dout.float()).sum(-1).contiguous()  # (B, H, T)
    common = q.shape[1], q.shape[2], k.shape[2], q.shape[-1] ** -0.5
    range_backward_queries[_grid(q, sizes["BLOCK"])](
        q, k, v, first, after, lse, along, dout, dq,
        *_strides(q, k, v, dout, dq), *common, **sizes,
    )  # fmt: skip
    readers = _readers(first, after, k.shape[2], sizes["BLOCK"])
    range_backward_keys[_grid(k, sizes["BLOCK"])](
        q, k, v, first, after, *readers, lse, along, dout, dk, dv,
        *_strides(q, k, v, dout, dk, dv), *common, **sizes,
    )  # fmt: skip
    return dq, dk, dv


@_attend_backward.register_fake
def _attend_backward_shapes(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    first: Tensor,
    after: Tensor,
    out: Tensor,
    lse: Tensor,
    dout: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)


def _readers(first: Tensor, after: Tensor, keys: int, block: int) -> tuple[Tensor, Tensor]:
    """For every block of keys (B, blocks): the first query that reads one, and the last plus 1."""
    starts = torch.arange(0, keys, block, device=first.device, dtype=first.dtype)
    wanted = starts.expand(len(first), -1).contiguous()
    readers = torch.searchsorted(after, wanted, right=True)  # after_t > start
    ends = torch.searchsorted(first, wanted + block)  # first_t < start + block
    return readers.int(), ends.int()


def _save(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs, *output)
    ctx.set_materialize_grads(False)  # the log-sum-exp gets no gradient


def _differentiate(ctx: Any, dout: Tensor, _: None) -> tuple[Tensor | None, ...]:
    gradients: tuple[Tensor, ...] = _attend_backward(*ctx.saved_tensors, dout)
    return *gradients, None, None


_attend.register_autograd(_differentiate, setup_context=_save)


def _grid(x: Tensor, block: int) -> tuple[int]:
    batch, heads, tokens = x.shape[:3]
    return (batch * heads * -(-tokens // block),)


def _sizes(q: Tensor, k: Tensor) -> dict[str, Any]:
    """Compile-time constants of the kernels."""
    exact, tf32 = q.dtype == torch.float32, torch.backends.cuda.matmul.allow_tf32
    return {
        "E": q.shape[-1],
        "PADDED_E": padded(q.shape[-1]),
        "BLOCK": min(padded(max(q.shape[2], k.shape[2])), MAX_BLOCK),
        "PRECISION": "tf32" if exact and tf32 else "ieee",
        "num_warps": 4,
        "num_stages": 1,
    }


@triton.jit
def _program(H, tokens, BLOCK: tl.constexpr):
    """b * H + h, b, h and the first token of this program."""
    blocks = tl.cdiv(tokens, BLOCK)
    program = tl.program_id(0)
    row = (program // blocks).to(tl.int64)
    return row, row // H, row % H, (program % blocks) * BLOCK


@triton.jit
def _range(first_ptr, after_ptr, t, T):
    """The ranges of the queries t; those beyond the window read nothing."""
    first = tl.load(first_ptr + t, mask=t < T, other=0)
    return first, tl.load(after_ptr + t, mask=t < T, other=0)


@triton.jit
def _weights(q, k, lse, first, after, s, scale, PRECISION: tl.constexpr):
    """The attention weights of queries (rows) for the keys s (columns)."""
    scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale
    seen = (s[None, :] >= first[:, None]) & (s[None, :] < after[:, None])
    return tl.exp(tl.where(seen, scores - lse[:, None], float("-inf")))


@triton.jit(do_not_specialize=["T", "N"])
def range_forward(
    q_ptr, k_ptr, v_ptr, first_ptr, after_ptr, out_ptr, lse_ptr,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, out_b, out_h, out_t,
    H, T, N, scale,
    E: tl.constexpr, PADDED_E: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """out (B, H, T, E), and lse (B, H, T)."""
    row, b, h, start_t = _program(H, T, BLOCK)
    k_ptr += b * k_b + h * k_h
    v_ptr += b * v_b + h * v_h
    t = start_t + tl.arange(0, BLOCK)
    first, after = _range(first_ptr + b * T, after_ptr + b * T, t, T)
    q = _tile(q_ptr + b * q_b + h * q_h, q_t, start_t, T, E, PADDED_E, BLOCK)
    highest = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    out = tl.zeros((BLOCK, PADDED_E), tl.float32)
    begin = tl.load(first_ptr + b * T + start_t) // BLOCK * BLOCK
    for start in range(begin, tl.minimum(tl.max(after, 0), N), BLOCK):
        s = start + tl.arange(0, BLOCK)
        k = _tile(k_ptr, k_t, start, N, E, PADDED_E, BLOCK)
        v = _tile(v_ptr, v_t, start, N, E, PADDED_E, BLOCK)
        scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale
        seen = (s[None, :] >= first[:, None]) & (s[None, :] < after[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        new = tl.maximum(highest, tl.max(scores, 1))
        base = tl.where(new == float("-inf"), 0.0, new)
        weight = tl.exp(scores - base[:, None])
        left = tl.exp(highest - base)
        total = total * left + tl.sum(weight, 1)
        out = tl.dot(weight.to(v.dtype), v, out * left[:, None], input_precision=PRECISION)
        highest = new
    has_keys = total > 0
    out = tl.where(has_keys[:, None], out / tl.where(has_keys, total, 1.0)[:, None], 0.0)
    lse = tl.where(has_keys, highest + tl.log(tl.where(has_keys, total, 1.0)), 0.0)
    tl.store(lse_ptr + row * T + t, lse, mask=t < T)
    _store_tile(out_ptr + b * out_b + h * out_h, out_t, start_t, T, out, E)


@triton.jit(do_not_specialize=["T", "N"])
def range_backward_queries(
    q_ptr, k_ptr, v_ptr, first_ptr, after_ptr, lse_ptr, along_ptr, dout_ptr, dq_ptr,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, dout_b, dout_h, dout_t, dq_b, dq_h, dq_t,
    H, T, N, scale,
    E: tl.constexpr, PADDED_E: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The gradient of q."""
    row, b, h, start_t = _program(H, T, BLOCK)
    k_ptr += b * k_b + h * k_h
    v_ptr += b * v_b + h * v_h
    t = start_t + tl.arange(0, BLOCK)
    first, after = _range(first_ptr + b * T, after_ptr + b * T, t, T)
    q = _tile(q_ptr + b * q_b + h * q_h, q_t, start_t, T, E, PADDED_E, BLOCK)
    dout = _tile(dout_ptr + b * dout_b + h * dout_h, dout_t, start_t, T, E, PADDED_E, BLOCK)
    lse = tl.load(lse_ptr + row * T + t, mask=t < T, other=0.0)
    along = tl.load(along_ptr + row * T + t, mask=t < T, other=0.0)
    dq = tl.zeros((BLOCK, PADDED_E), tl.float32)
    begin = tl.load(first_ptr + b * T + start_t) // BLOCK * BLOCK
    for start in range(begin, tl.minimum(tl.max(after, 0), N), BLOCK):
        s = start + tl.arange(0, BLOCK)
        k = _tile(k_ptr, k_t, start, N, E, PADDED_E, BLOCK)
        v = _tile(v_ptr, v_t, start, N, E, PADDED_E, BLOCK)
        weight = _weights(q, k, lse, first, after, s, scale, PRECISION)
        dweight = tl.dot(dout, tl.trans(v), input_precision=PRECISION) - along[:, None]
        dq = tl.dot((weight * dweight).to(k.dtype), k, dq, input_precision=PRECISION)
    _store_tile(dq_ptr + b * dq_b + h * dq_h, dq_t, start_t, T, dq * scale, E)


@triton.jit(do_not_specialize=["T", "N"])
def range_backward_keys(
    q_ptr, k_ptr, v_ptr, first_ptr, after_ptr, readers_ptr, ends_ptr,
    lse_ptr, along_ptr, dout_ptr, dk_ptr, dv_ptr,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, dout_b, dout_h, dout_t,
    dk_b, dk_h, dk_t, dv_b, dv_h, dv_t,
    H, T, N, scale,
    E: tl.constexpr, PADDED_E: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The gradients of k and v."""
    row, b, h, start_s = _program(H, N, BLOCK)
    q_ptr += b * q_b + h * q_h
    dout_ptr += b * dout_b + h * dout_h
    s = start_s + tl.arange(0, BLOCK)
    k = _tile(k_ptr + b * k_b + h * k_h, k_t, start_s, N, E, PADDED_E, BLOCK)
    v = _tile(v_ptr + b * v_b + h * v_h, v_t, start_s, N, E, PADDED_E, BLOCK)
    dk = tl.zeros((BLOCK, PADDED_E), tl.float32)
    dv = tl.zeros((BLOCK, PADDED_E), tl.float32)
    block = b * tl.cdiv(N, BLOCK) + start_s // BLOCK
    begin = tl.load(readers_ptr + block) // BLOCK * BLOCK
    for start in range(begin, tl.load(ends_ptr + block), BLOCK):
        t = start + tl.arange(0, BLOCK)
        first, after = _range(first_ptr + b * T, after_ptr + b * T, t, T)
        q = _tile(q_ptr, q_t, start, T, E, PADDED_E, BLOCK)
        dout = _tile(dout_ptr, dout_t, start, T, E, PADDED_E, BLOCK)
        lse = tl.load(lse_ptr + row * T + t, mask=t < T, other=0.0)
        along = tl.load(along_ptr + row * T + t, mask=t < T, other=0.0)
        weight = _weights(q, k, lse, first, after, s, scale, PRECISION)
        dv = tl.dot(tl.trans(weight.to(v.dtype)), dout, dv, input_precision=PRECISION)
        dweight = tl.dot(dout, tl.trans(v), input_precision=PRECISION) - along[:, None]
        gradient = (weight * dweight).to(q.dtype)
        dk = tl.dot(tl.trans(gradient), q, dk, input_precision=PRECISION)
    _store_tile(dk_ptr + b * dk_b + h * dk_h, dk_t, start_s, N, dk * scale, E)
    _store_tile(dv_ptr + b * dv_b + h * dv_h, dv_t, start_s, N, dv, E)
