"""Several decoding steps of causal RFA whose state is written once, after the last of them.

R rows (windows x beams), H heads, E head size, K projections, D features, J steps so far.

A step adds a single token to a state of D E numbers, and the step after it reads them all again.
So the tokens of a few steps are kept beside the state as they are, features and value, and each
step reads both: the state as it was before the first of them, and the tokens since. That is the
chunked form, one row at a time. The last step adds them all. A step then moves

    R H (4 D (E + 1) + J (4 D + size E))   bytes,

little more than half of what writing the state would take (see `triton_decode_causal`). Beams need
no state of their own until then: each remembers in which row its state lies, and in which rows the
tokens since, so that what has a common ancestor is shared.

One program takes one row and head. What lies in rows of the parent, or of its ancestors, is found
by their numbers; nothing but these is copied. All loads come before the first store.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.decode_causal import (
    _coming_gate,
    _log_total,
    _offset,
    _phi,
    _shrink,
    room,
)
from longways.attention.kernels.dependent_launch import call_next, early, wait
from longways.attention.kernels.features import INTERPRETED
from longways.attention.kernels.fused_map import FusedMap, check_head, check_map, in_rows
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.decode import GateInput
from longways.attention.rfa.shapes import padded
from longways.attention.rfa.write_buffer import WriteBuffer
from longways.attention.state import CausalRFAState
from longways.errors import ShapeError

TILE = 2048
"""Numbers of a state that one warp holds."""

MOST_WARPS = 8


def serves(past: CausalRFAState) -> bool:
    """Whether one warp can hold a head's state: a larger one is sooner written in every step."""
    return past.sums.S[0, 0].numel() <= TILE


def decode_recent_fused(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    phi: FusedMap,
    recent: WriteBuffer,
    parents: Tensor | None,
    gate: GateInput | None,
    *,
    settled: bool = False,
) -> tuple[Tensor, WriteBuffer]:
    """Read one token a row: the numbers of `decode_causal_fused` with a folded map.

    After the last of `most` steps the state is written, in place where there are no `parents`, and
    there are no recent tokens any more. Parents must be given in each of these steps or in none.
    """
    _check(q, k, v, phi, recent, parents)
    last = recent.count + 1 == recent.most
    into = _into(recent, parents is not None, last)
    out = torch.empty(v.shape, dtype=v.dtype, device=v.device)
    if out.numel():
        _launch(in_rows(q), in_rows(k), in_rows(v), phi, recent, parents, gate, into, out, settled)
    return out, into


def _into(recent: WriteBuffer, moved: bool, last: bool) -> WriteBuffer:
    """Where a step writes: to other rows than it reads from, if beams move."""
    past, count = recent.past, 0 if last else recent.count + 1
    if not moved:
        return replace(recent, count=count)
    if last:
        return replace(recent, past=room(past, len(past.sums.S)), count=count)
    gate = room(replace(past, sums=_nothing(past)), len(past.sums.S)).gate
    weights, places = torch.empty_like(recent.weights), torch.empty_like(recent.places)
    return replace(
        recent, weights=weights, places=places, past=replace(past, gate=gate), count=count
    )


def _nothing(past: CausalRFAState) -> Any:
    return replace(past.sums, S=past.sums.S[:, :0], z=past.sums.z[:, :0])


def _launch(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    phi: FusedMap,
    recent: WriteBuffer,
    parents: Tensor | None,
    gate: GateInput | None,
    into: WriteBuffer,
    out: Tensor,
    settled: bool,
) -> None:
    """Where there are no parents or no gate, another pointer stands in that is never followed."""
    past, new = recent.past, into.past
    logits = past.gate.keep if gate is None else in_rows(gate.logits)
    separators = past.gate.keep if gate is None else gate.separators.contiguous()
    causal_recent[(q.shape[0] * q.shape[1],)](
        q, k, v, phi.numbers(q), q if parents is None else parents.contiguous(),
        logits, separators, past.sums.S, past.sums.z, past.gate.keep, past.gate.write,
        recent.features, recent.values, recent.weights, recent.places, out,
        new.sums.S, new.sums.z, new.gate.keep, new.gate.write, into.weights, into.places,
        *(step for x in (q, k, v) for step in x.stride()[:2]), logits.stride(0), q.shape[1],
        recent.count, **_sizes(v, phi, recent), GATE="none" if gate is None else gate.gate,
        REORDERED=parents is not None, SETTLED=settled, **early(q),
    )  # fmt: skip


def _sizes(v: Tensor, phi: FusedMap, recent: WriteBuffer) -> dict[str, Any]:
    """What the kernel is compiled for."""
    head, features = padded(v.shape[-1]), recent.features.shape[-1]
    return phi.constants | {
        "FAST": v.dtype != torch.float32 and not INTERPRETED,
        "MIN_NORM": MIN_NORM,
        "E": v.shape[-1],
        "PADDED_E": head,
        "MOST": recent.most,
        "PADDED_J": 1 << (recent.most - 1).bit_length(),
        "LAST": recent.count + 1 == recent.most,
        "num_warps": max(1, min(MOST_WARPS, features * head // TILE)),
    }


def _check(
    q: Tensor, k: Tensor, v: Tensor, phi: FusedMap, recent: WriteBuffer, parents: Tensor | None
) -> None:
    check_map(q, "(R, H, N)", phi, v.shape[-1])
    check_head(v.shape[-1])
    wanted = *v.shape[:2], phi.features, v.shape[-1]
    if recent.past.sums.S.shape != wanted or k.shape != q.shape:
        raise ShapeError(
            f"The state has shape {tuple(recent.past.sums.S.shape)}, q {tuple(q.shape)} and k "
            f"{tuple(k.shape)}, but beside this v the state must be {wanted}, and q like k."
        )
    if parents is not None and parents.shape != (len(v),):
        raise ShapeError(f"parents has shape {tuple(parents.shape)}, but must be ({len(v)},).")


@triton.jit
def _features(
    x_ptr, e, tau, MAP: tl.constexpr, TEMPERED: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, K: tl.constexpr, PADDED_K: tl.constexpr,
    E: tl.constexpr,
):  # fmt: skip
    """Both halves of the features of one query or key, from its projections."""
    d = tl.arange(0, PADDED_K)
    u, offset = tl.load(x_ptr + d, mask=d < K, other=0.0).to(tl.float32), _offset(tau, MAP)
    if MAP == "spiky":
        offset = _log_total(x_ptr, K, PADDED_K)
    if TEMPERED:
        u *= _shrink(tl.load(x_ptr + K + e, mask=e < E, other=0.0), tau, EPSILON)
    return _phi(u, offset, d < K, MAP, SCALE, FAST)


@triton.jit
def _added(
    S, z, k, v, of_state, write, keep, others, where,
    FIRST: tl.constexpr, K: tl.constexpr, D: tl.constexpr, E: tl.constexpr, MOST: tl.constexpr,
    REORDERED: tl.constexpr,
):  # fmt: skip
    """One half of a state, whose features begin at FIRST, with all tokens added."""
    phi_ptr, value_ptr, weight_ptr, place_ptr = others
    row, places, H, h, J = where
    d, e = tl.arange(0, S.shape[0]), tl.arange(0, S.shape[1])[None, :]
    real = d < K
    S = of_state * S + (write * k)[:, None] * v.to(tl.float32)
    z = of_state * z + write * k
    for i in range(J):
        at = row
        if REORDERED:
            at = tl.load(place_ptr + places + i).to(tl.int64)
        token = (at * H + h) * MOST + i
        p = keep * tl.load(weight_ptr + i)
        p *= tl.load(phi_ptr + token * D + FIRST + d, mask=real, other=0.0)
        x = tl.load(value_ptr + token * E + e, mask=e < E, other=0.0)
        S += p[:, None] * x.to(tl.float32)
        z += p
    return S, z


@triton.jit
def _write_places(place_ptr, place, row, base, h, J, j, MOST: tl.constexpr):
    """Where the tokens and the state of a row lie: the same for all heads."""
    if h == 0:
        tl.store(place_ptr + j, place.to(tl.int32), mask=j < J)
        tl.store(place_ptr + J, row.to(tl.int32))
        tl.store(place_ptr + MOST, base.to(tl.int32))


@triton.jit(do_not_specialize=["J"])
def causal_recent(
    q_ptr, k_ptr, v_ptr, tau_ptr, parents_ptr, logit_ptr, separator_ptr,
    S_ptr, z_ptr, keep_ptr, write_ptr, phi_ptr, value_ptr, weight_ptr, place_ptr, out_ptr,
    new_S_ptr, new_z_ptr, new_keep_ptr, new_write_ptr, new_weight_ptr, new_place_ptr,
    q_r, q_h, k_r, k_h, v_r, v_h, logit_r, H, J,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, GATE: tl.constexpr, REORDERED: tl.constexpr,
    FAST: tl.constexpr, SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    MOST: tl.constexpr, PADDED_J: tl.constexpr, LAST: tl.constexpr, SETTLED: tl.constexpr,
    EARLY: tl.constexpr,
):  # fmt: skip
    """out (R, H, E), and the token among the others, or all of them in the state if it is LAST."""
    call_next(EARLY)
    D: tl.constexpr = 2 * K if TEMPERED else K
    row, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    to = row * H + h
    j, d, e = tl.arange(0, PADDED_J), tl.arange(0, PADDED_K), tl.arange(0, PADDED_E)[None, :]
    older, real = j < J, d < K
    if not SETTLED:
        wait(EARLY)
    parent = tl.load(parents_ptr + row).to(tl.int64) if REORDERED else row
    from_ = parent * H + h
    keep, write = tl.load(keep_ptr + from_), tl.load(write_ptr + from_)
    weight = tl.load(weight_ptr + from_ * (MOST + 1) + j, mask=older, other=0.0)
    of_state = tl.load(weight_ptr + from_ * (MOST + 1) + MOST, mask=J > 0, other=1.0)
    place, base = tl.zeros((PADDED_J,), tl.int64) + row, row
    if REORDERED:
        place = tl.load(place_ptr + parent * (MOST + 1) + j, mask=older, other=0).to(tl.int64)
        base = tl.load(place_ptr + parent * (MOST + 1) + MOST, mask=J > 0, other=0).to(tl.int64)
        base = tl.where(J > 0, base, parent)
    S_ptr += (base * H + h) * (D * E)
    z_ptr += (base * H + h) * D
    at, tile = d[:, None] * E + e, real[:, None] & (e < E)
    S, z = tl.load(S_ptr + at, mask=tile, other=0.0), tl.load(z_ptr + d, mask=real, other=0.0)
    token = (place * H + h) * MOST + j
    phis_at = phi_ptr + token[:, None] * D + d[None, :]
    some = older[:, None] & real[None, :]
    phis = tl.load(phis_at, mask=some, other=0.0)
    values = tl.load(value_ptr + token[:, None] * E + e, mask=older[:, None] & (e < E), other=0.0)
    if TEMPERED:
        S_2 = tl.load(S_ptr + K * E + at, mask=tile, other=0.0)
        z_2 = tl.load(z_ptr + K + d, mask=real, other=0.0)
        phis_2 = tl.load(phis_at + K, mask=some, other=0.0)
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    if SETTLED:
        wait(EARLY)
    v = tl.load(v_ptr + row * v_r + h * v_h + e, mask=e < E, other=0.0)
    q, q_2 = _features(
        q_ptr + row * q_r + h * q_h, e, tau, MAP, TEMPERED, FAST, SCALE, EPSILON, K, PADDED_K, E
    )
    k, k_2 = _features(
        k_ptr + row * k_r + h * k_h, e, tau, MAP, TEMPERED, FAST, SCALE, EPSILON, K, PADDED_K, E
    )
    weight, of_state = keep * weight, keep * of_state
    shares, own = tl.sum(phis * q[None, :], 1), tl.sum(q * k, 0)
    read, norm = tl.sum(q[:, None] * S, 0), tl.sum(q * z, 0)
    if TEMPERED:
        shares, own = shares + tl.sum(phis_2 * q_2[None, :], 1), own + tl.sum(q_2 * k_2, 0)
        read, norm = read + tl.sum(q_2[:, None] * S_2, 0), norm + tl.sum(q_2 * z_2, 0)
    shares, own = weight * shares, write * own
    norm = of_state * norm + tl.sum(shares, 0) + own
    since = tl.sum(shares[:, None] * values.to(tl.float32), 0)[None, :]
    out = of_state * read[None, :] + since + own * v.to(tl.float32)
    out = out / tl.maximum(norm, MIN_NORM)
    tl.debug_barrier()  # warps that hold the same numbers must all have read them
    tl.store(out_ptr + to * E + e, out.to(out_ptr.dtype.element_ty), mask=e < E)
    if LAST:
        others = phi_ptr, value_ptr, weight_ptr + from_ * (MOST + 1), place_ptr
        where = row, parent * (MOST + 1), H, h, J
        S, z = _added(S, z, k, v, of_state, write, keep, others, where, 0, K, D, E, MOST, REORDERED)
        tl.store(new_S_ptr + to * (D * E) + at, S, mask=tile)
        tl.store(new_z_ptr + to * D + d, z, mask=real)
        if TEMPERED:
            S, z = _added(
                S_2, z_2, k_2, v, of_state, write, keep, others, where, K, K, D, E, MOST, REORDERED
            )
            tl.store(new_S_ptr + to * (D * E) + K * E + at, S, mask=tile)
            tl.store(new_z_ptr + to * D + K + d, z, mask=real)
    else:
        weights, mine = new_weight_ptr + to * (MOST + 1), to * MOST + J
        tl.store(weights + j, weight, mask=older)
        tl.store(weights + J, write)
        tl.store(weights + MOST, of_state)
        tl.store(phi_ptr + mine * D + d, k, mask=real)
        if TEMPERED:
            tl.store(phi_ptr + mine * D + K + d, k_2, mask=real)
        tl.store(value_ptr + mine * E + e, v, mask=e < E)
        if REORDERED:
            _write_places(new_place_ptr + row * (MOST + 1), place, row, base, h, J, j, MOST)
    if GATE != "none":
        keep, write = _coming_gate(write, logit_ptr + row * logit_r + h, separator_ptr + row, GATE)
    tl.store(new_keep_ptr + to, keep)
    tl.store(new_write_ptr + to, write)
