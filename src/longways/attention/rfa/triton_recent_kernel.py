"""The Triton kernel of a decoding step that reads a state and the tokens since, and adds its own.

R rows, H heads, E head size, K projections, D features, J tokens since the state was written.

One program takes one row and head. What lies in rows of the parent, or of its ancestors, is found
by their numbers; nothing but these is copied. All loads come before the first store.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl

from longways.attention.rfa.triton_decode_kernels import (
    _coming_gate,
    _log_total,
    _offset,
    _phi,
    _shrink,
)
from longways.attention.triton_early import call_next, wait


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
