"""One decoding step of causal RFA as one Triton kernel, which reads the states of the parents.

R rows (windows x beams), H heads, E head size, K projections, D features.

Lower bound on memory traffic. Any kernel reads the parents' S and z and writes the new ones in
float32; it reads q, k and v and writes out with `size` bytes an element:

    R H (8 D (E + 1) + (2 N + 2 E) size)   bytes,

without the gates; N is K, or K + E. At D = E = 64 that is 33 KB for a row and head, nearly all of
it the state: a beam search that first copies the states of its beams moves twice as much.

One program takes one row and head. S is read as tiles of (features, head size) from the parent's
row and written to the row's own place in another buffer, each element once and in memory order. q
and k are projected already; for the random maps they follow their projections, because the map
needs their length. v is a tile of one row in the layout of S, so that no warp waits for another
before the loads of the state are issued. All loads of a block come before its first store, since
the compiler does not know that the buffers are distinct.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from longways.attention.features import FeatureMap
from longways.attention.kernels.dependent_launch import launch_next, pdl_options, wait
from longways.attention.kernels.features import INTERPRETED, _sin_cos
from longways.attention.kernels.fused_map import (
    FusedMap,
    check_head,
    check_map,
    fused_inputs,
    in_rows,
)
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.decode import GateInput
from longways.attention.rfa.shapes import padded
from longways.attention.state import CausalRFAState, GateState, RFAState
from longways.errors import ShapeError

HALF_LOG_2 = tl.constexpr(0.34657359027997264)
"""log(2) / 2, in the offset of the positive map."""

TILE_ELEMENTS = 2048
"""Elements of S that a program holds in registers."""

PROGRAM_WARPS = 1
"""One warp has no other to wait for; in a step of 96 rows it was faster than two or four."""


def decode_causal_fused(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    phi: FeatureMap | FusedMap,
    W: Tensor | None,
    past: CausalRFAState,
    parents: Tensor | None = None,
    gate: GateInput | None = None,
    into: CausalRFAState | None = None,
    *,
    load_early: bool = False,
) -> tuple[Tensor, CausalRFAState]:
    """Attend from one token per row and add it to the parent's state; equal to `decode_causal`.

    q, k and v (R, H, E) are float32 or half precision and may be views; out (R, H, E) is contiguous
    and in the precision of v. `phi` may be a `FusedMap`, with W None; then q and k are projections
    as `attention.fused_projection` gives them.

    States are float32. The new state is written `into` a state of R rows and returned, so that two
    buffers (see `empty_state`) can be used in turns; without `into` it is allocated. `into` may be
    `past` itself only without `parents`: rows would overwrite states that other rows still read.
    The caller must keep `parents` inside of `past`: a check would have to wait for the device.
    `load_early` says that there was a late launch (see `dependent_launch`) since `past` and
    `parents` were written, so that they are loaded before the kernel ahead has ended. There are no
    gradients.
    """
    fused, (q, k) = fused_inputs(phi, W, q, k)
    check_map(q, "(R, H, N)", fused, v.shape[-1])
    check_head(v.shape[-1])
    into = empty_state(past, len(q)) if into is None else into
    _check(q, k, v, fused, past, parents, gate, into)
    out = torch.empty(v.shape, dtype=v.dtype, device=v.device)
    if out.numel():
        token = in_rows(q), in_rows(k), in_rows(v)
        _launch(*token, fused, past, parents, gate, into, out, load_early)
    return out, into


def empty_state(past: CausalRFAState, rows: int) -> CausalRFAState:
    """An uninitialised state like `past`, with `rows` rows, to write `into`."""
    S, z, keep, write = (x.new_empty(rows, *x.shape[1:]) for x in _tensors(past))
    return CausalRFAState(RFAState(S, z), GateState(keep, write))


def _launch(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    fused: FusedMap,
    past: CausalRFAState,
    parents: Tensor | None,
    gate: GateInput | None,
    into: CausalRFAState,
    out: Tensor,
    load_early: bool,
) -> None:
    """Without parents or gate another pointer is passed, which the kernel never uses."""
    logits = past.gate.keep if gate is None else in_rows(gate.logits)
    separators = past.gate.keep if gate is None else gate.separators.contiguous()
    causal_decode[(q.shape[0] * q.shape[1],)](
        q, k, v, fused.tau_or(q),
        q if parents is None else parents.contiguous(), logits, separators,
        *(x.contiguous() for x in _tensors(past)), out, *_tensors(into),
        *(stride for x in (q, k, v) for stride in x.stride()[:2]), logits.stride(0), q.shape[1],
        **_sizes(v, fused, parents, gate), IN_PLACE=_same(into, past), LOAD_EARLY=load_early,
        **pdl_options(q),
    )  # fmt: skip


def _sizes(
    v: Tensor, fused: FusedMap, parents: Tensor | None, gate: GateInput | None
) -> dict[str, Any]:
    """Compile-time constants of the kernel."""
    head = padded(v.shape[-1])
    return fused.constants | {
        "GATE": "none" if gate is None else gate.gate,
        "REORDERED": parents is not None,
        "FAST": v.dtype != torch.float32 and not INTERPRETED,
        "MIN_NORM": MIN_NORM,
        "E": v.shape[-1],
        "PADDED_E": head,
        "BLOCK_K": min(padded(fused.projections), TILE_ELEMENTS // head),
        "num_warps": PROGRAM_WARPS,
    }


def _tensors(state: CausalRFAState) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return state.sums.S, state.sums.z, state.gate.keep, state.gate.write


def _shapes(gate: GateInput) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(gate.logits.shape), tuple(gate.separators.shape)


def _check(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    fused: FusedMap,
    past: CausalRFAState,
    parents: Tensor | None,
    gate: GateInput | None,
    into: CausalRFAState,
) -> None:
    rows, heads, head_dim = v.shape
    wanted = rows, heads, fused.inputs(head_dim)
    if k.shape != q.shape or q.shape != wanted:
        raise ShapeError(
            f"q, k and v have shapes {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}, "
            f"but beside this v, q and k must have {tuple(wanted)}: the heads of one token in each "
            "row."
        )
    if parents is not None and (parents.shape != (rows,) or parents.is_floating_point()):
        raise ShapeError(
            f"parents has shape {tuple(parents.shape)} in {parents.dtype}, but must be ({rows},) "
            "in integers: a row of the past for each row of q."
        )
    if gate is not None and _shapes(gate) != ((rows, heads), (rows,)):
        raise ShapeError(
            f"The gate has logits of shape {tuple(gate.logits.shape)} and separators of "
            f"{tuple(gate.separators.shape)}, but they must be {(rows, heads)} and ({rows},)."
        )
    read = past.sums.S.shape[0] if parents is not None else rows
    sizes = heads, fused.features, head_dim
    _check_state("past", past, read, sizes)
    _check_state("into", into, rows, sizes)
    _check_buffers(past, parents, into)


def _same(into: CausalRFAState, past: CausalRFAState) -> bool:
    return into.sums.S.data_ptr() == past.sums.S.data_ptr()


def _check_buffers(past: CausalRFAState, parents: Tensor | None, into: CausalRFAState) -> None:
    if parents is not None and len(parents) and _same(into, past):
        raise ShapeError(
            "The new state would overwrite the past while parents are still read from it; "
            "give `into` another buffer, or none."
        )
    if not all(x.is_contiguous() for x in _tensors(into)):
        raise ShapeError("`into` is a view with gaps; make the buffer with `empty_state`.")
    if len(into.gate.keep) and into.gate.keep.data_ptr() == into.gate.write.data_ptr():
        raise ShapeError(
            "keep and write of `into` are one tensor, as in a gate that is still open, but both "
            "are written; make the buffer with `empty_state`."
        )


def _check_state(name: str, state: CausalRFAState, rows: int, sizes: tuple[int, int, int]) -> None:
    """Raise unless the state is float32 and has the shape of these rows and sizes (H, D, E)."""
    S, tensors = (rows, *sizes), _tensors(state)
    wanted = (S, S[:3], S[:2], S[:2])
    if tuple(tuple(x.shape) for x in tensors) != wanted:
        raise ShapeError(
            f"`{name}` has S of shape {tuple(state.sums.S.shape)} and gates of "
            f"{tuple(state.gate.keep.shape)}, but these rows need {S} and {S[:2]}: "
            "it is of another batch or layer."
        )
    if any(x.dtype != torch.float32 for x in tensors):
        raise ShapeError(
            f"`{name}` has S in {state.sums.S.dtype}, but the kernels keep states in float32."
        )


@triton.jit
def inverse_length(x, tau, EPSILON: tl.constexpr):
    """The factor between W x and u, for each row x: 1 / ((|x| + eps) tau)."""
    x = x.to(tl.float32)
    return 1.0 / ((tl.sqrt(tl.sum(x * x, 1)) + EPSILON) * tau)


@triton.jit
def map_offset(tau, MAP: tl.constexpr):
    """The offset that the positive map subtracts from u, 0 for the random map."""
    return 1.0 / (tau * tau) + HALF_LOG_2 if MAP == "positive" else 0.0


@triton.jit
def load_log_sum_exp(u_ptr, K: tl.constexpr, PADDED_K: tl.constexpr):
    """log of the sum of exp(u) over the projections of one row and head: the spiky map's offset."""
    d = tl.arange(0, PADDED_K)
    u = tl.load(u_ptr + d, mask=d < K, other=-float("inf")).to(tl.float32)
    greatest = tl.max(u, 0)
    return greatest + tl.log(tl.sum(tl.exp(u - greatest), 0))


@triton.jit
def activate(u, offset, mask, MAP: tl.constexpr, SCALE: tl.constexpr, FAST: tl.constexpr):
    """Both halves of the features of u, 0 outside the mask; trained maps have only the first."""
    if MAP == "random":
        first, second = _sin_cos(u, FAST)
    elif MAP == "positive":
        first, second = tl.exp(u - offset), tl.exp(-u - offset)
    elif MAP == "spiky":
        first, second = tl.exp(u - offset), u
    else:
        first, second = tl.maximum(u, 0.0), u
    return tl.where(mask, SCALE * first, 0.0), tl.where(mask, SCALE * second, 0.0)


@triton.jit
def _next_gate(write, logit_ptr, separator_ptr, GATE: tl.constexpr):
    """keep and write of the next token, from write, logit and separator of this token."""
    f, ends = tl.sigmoid(tl.load(logit_ptr).to(tl.float32)), tl.load(separator_ptr) != 0
    if GATE == "average":
        write = tl.where(ends, 1.0 - f, write)
    return tl.where(ends, f, 1.0), write


@triton.jit
def causal_decode(
    q_ptr, k_ptr, v_ptr, tau_ptr, parents_ptr, logit_ptr, separator_ptr,
    S_ptr, z_ptr, keep_ptr, write_ptr,
    out_ptr, new_S_ptr, new_z_ptr, new_keep_ptr, new_write_ptr,
    q_r, q_h, k_r, k_h, v_r, v_h, logit_r, H,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, GATE: tl.constexpr, REORDERED: tl.constexpr,
    IN_PLACE: tl.constexpr, FAST: tl.constexpr, SCALE: tl.constexpr, EPSILON: tl.constexpr,
    MIN_NORM: tl.constexpr, K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr,
    PADDED_E: tl.constexpr, BLOCK_K: tl.constexpr, LOAD_EARLY: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out (R, H, E) and the new S (R, H, D, E), z (R, H, D), keep and write (R, H)."""
    launch_next(PDL)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    row, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    to = row * H + h
    e = tl.arange(0, PADDED_E)[None, :]
    if not LOAD_EARLY:
        wait(PDL)
    parent = tl.load(parents_ptr + row).to(tl.int64) if REORDERED else row
    from_ = parent * H + h
    keep, write = tl.load(keep_ptr + from_), tl.load(write_ptr + from_)
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset_q, offset_k = map_offset(tau, MAP), map_offset(tau, MAP)
    S_ptr += from_ * (HALVES * K * E)
    z_ptr += from_ * (HALVES * K)
    new_S_ptr += to * (HALVES * K * E)
    new_z_ptr += to * (HALVES * K)
    q_ptr += row * q_r + h * q_h
    k_ptr += row * k_r + h * k_h
    v_ptr += row * v_r + h * v_h
    read = tl.zeros((BLOCK_K, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK_K,), tl.float32)
    for start in tl.static_range(0, K, BLOCK_K):
        d = start + tl.arange(0, BLOCK_K)
        is_feature, at = d < K, d[:, None] * E + e
        tile = is_feature[:, None] & (e < E)
        S = tl.load(S_ptr + at, mask=tile, other=0.0)
        z = tl.load(z_ptr + d, mask=is_feature, other=0.0)
        if HALVES == 2:
            S_2 = tl.load(S_ptr + K * E + at, mask=tile, other=0.0)
            z_2 = tl.load(z_ptr + K + d, mask=is_feature, other=0.0)
        if start == 0:
            if LOAD_EARLY:
                wait(PDL)
            v = tl.load(v_ptr + e, mask=e < E, other=0.0).to(tl.float32)
            if MAP == "spiky":
                offset_q = load_log_sum_exp(q_ptr, K, PADDED_K)
                offset_k = load_log_sum_exp(k_ptr, K, PADDED_K)
            if TEMPERED:
                x_q = tl.load(q_ptr + K + e, mask=e < E, other=0.0)
                x_k = tl.load(k_ptr + K + e, mask=e < E, other=0.0)
                scale_q = inverse_length(x_q, tau, EPSILON)
                scale_k = inverse_length(x_k, tau, EPSILON)
        u_q = tl.load(q_ptr + d, mask=is_feature, other=0.0).to(tl.float32)
        u_k = tl.load(k_ptr + d, mask=is_feature, other=0.0).to(tl.float32)
        if TEMPERED:
            u_q, u_k = u_q * scale_q, u_k * scale_k
        if IN_PLACE:  # all warps load the tile before one of them stores it
            tl.debug_barrier()
        phi_q, phi_q_2 = activate(u_q, offset_q, is_feature, MAP, SCALE, FAST)
        phi_k, phi_k_2 = activate(u_k, offset_k, is_feature, MAP, SCALE, FAST)
        S = keep * S + (write * phi_k)[:, None] * v
        z = keep * z + write * phi_k
        read += phi_q[:, None] * S
        norm += phi_q * z
        tl.store(new_S_ptr + at, S, mask=tile)
        tl.store(new_z_ptr + d, z, mask=is_feature)
        if HALVES == 2:
            S_2 = keep * S_2 + (write * phi_k_2)[:, None] * v
            z_2 = keep * z_2 + write * phi_k_2
            read += phi_q_2[:, None] * S_2
            norm += phi_q_2 * z_2
            tl.store(new_S_ptr + K * E + at, S_2, mask=tile)
            tl.store(new_z_ptr + K + d, z_2, mask=is_feature)
    out = tl.sum(read, 0)[None, :] / tl.maximum(tl.sum(norm, 0), MIN_NORM)
    tl.store(out_ptr + to * E + e, out.to(out_ptr.dtype.element_ty), mask=e < E)
    if GATE != "none":
        keep, write = _next_gate(write, logit_ptr + row * logit_r + h, separator_ptr + row, GATE)
    tl.store(new_keep_ptr + to, keep)
    tl.store(new_write_ptr + to, write)
