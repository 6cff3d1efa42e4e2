"""The Triton kernel of one causal decoding step: features, gate, state and read.

R rows (windows x beams), H heads, E head size, K projections, D features.

One program takes one row and head. S is a tile of (features, head) rows, read from the
parent's place and written to the row's own place in another buffer, each element once and in the
order it lies in memory. q and k come projected; of the random maps they follow their projections,
since their length counts. v is a tile of one row, in the layout of S, so that no warp waits for
another before the state is on its way. All loads of a block come before its first store: the
compiler cannot know that the buffers are different.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl

from longways.attention.triton_early import call_next, wait
from longways.attention.triton_features_kernels import _sin_cos

LOG_2_HALF = tl.constexpr(0.34657359027997264)
"""log(2) / 2, in the offset of the positive map."""


@triton.jit
def _shrink(x, tau, EPSILON: tl.constexpr):
    """What turns W x into u, for each row x: 1 / ((|x| + eps) tau)."""
    x = x.to(tl.float32)
    return 1.0 / ((tl.sqrt(tl.sum(x * x, 1)) + EPSILON) * tau)


@triton.jit
def _offset(tau, MAP: tl.constexpr):
    """What the positive map takes off u; the random one knows no such thing."""
    return 1.0 / (tau * tau) + LOG_2_HALF if MAP == "positive" else 0.0


@triton.jit
def _log_total(u_ptr, K: tl.constexpr, PADDED_K: tl.constexpr):
    """log of the sum of exp(u) over the projections of one row and head, for the spiky map."""
    d = tl.arange(0, PADDED_K)
    u = tl.load(u_ptr + d, mask=d < K, other=-float("inf")).to(tl.float32)
    most = tl.max(u, 0)
    return most + tl.log(tl.sum(tl.exp(u - most), 0))


@triton.jit
def _phi(u, offset, real, MAP: tl.constexpr, SCALE: tl.constexpr, FAST: tl.constexpr):
    """Both halves of the features of u, 0 beyond K; the projected maps have only the first."""
    if MAP == "random":
        first, second = _sin_cos(u, FAST)
    elif MAP == "positive":
        first, second = tl.exp(u - offset), tl.exp(-u - offset)
    elif MAP == "spiky":
        first, second = tl.exp(u - offset), u
    else:
        first, second = tl.maximum(u, 0.0), u
    return tl.where(real, SCALE * first, 0.0), tl.where(real, SCALE * second, 0.0)


@triton.jit
def _coming_gate(write, logit_ptr, separator_ptr, GATE: tl.constexpr):
    """keep and write of the token after this one, from the write of this one."""
    return gate_after(write, tl.load(logit_ptr), tl.load(separator_ptr) != 0, GATE)


@triton.jit
def gate_after(write, logit, ends, GATE: tl.constexpr):
    """The same of a token, or of several, with this logit, which ends a sentence or does not."""
    f = tl.sigmoid(logit.to(tl.float32))
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
    PADDED_E: tl.constexpr, BLOCK_K: tl.constexpr, SETTLED: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """out (R, H, E) and the new S (R, H, D, E), z (R, H, D), keep and write (R, H)."""
    call_next(EARLY)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    row, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    to = row * H + h
    e = tl.arange(0, PADDED_E)[None, :]
    if not SETTLED:
        wait(EARLY)
    parent = tl.load(parents_ptr + row).to(tl.int64) if REORDERED else row
    from_ = parent * H + h
    keep, write = tl.load(keep_ptr + from_), tl.load(write_ptr + from_)
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset_q, offset_k = _offset(tau, MAP), _offset(tau, MAP)
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
        real, at = d < K, d[:, None] * E + e
        tile = real[:, None] & (e < E)
        S = tl.load(S_ptr + at, mask=tile, other=0.0)
        z = tl.load(z_ptr + d, mask=real, other=0.0)
        if HALVES == 2:
            S_2 = tl.load(S_ptr + K * E + at, mask=tile, other=0.0)
            z_2 = tl.load(z_ptr + K + d, mask=real, other=0.0)
        if start == 0:
            if SETTLED:
                wait(EARLY)
            v = tl.load(v_ptr + e, mask=e < E, other=0.0).to(tl.float32)
            if MAP == "spiky":
                offset_q, offset_k = _log_total(q_ptr, K, PADDED_K), _log_total(k_ptr, K, PADDED_K)
            if TEMPERED:
                shrink_q = _shrink(tl.load(q_ptr + K + e, mask=e < E, other=0.0), tau, EPSILON)
                shrink_k = _shrink(tl.load(k_ptr + K + e, mask=e < E, other=0.0), tau, EPSILON)
        u_q = tl.load(q_ptr + d, mask=real, other=0.0).to(tl.float32)
        u_k = tl.load(k_ptr + d, mask=real, other=0.0).to(tl.float32)
        if TEMPERED:
            u_q, u_k = u_q * shrink_q, u_k * shrink_k
        if IN_PLACE:  # warps that hold the same small tile must all have read it
            tl.debug_barrier()
        phi_q, phi_q_2 = _phi(u_q, offset_q, real, MAP, SCALE, FAST)
        phi_k, phi_k_2 = _phi(u_k, offset_k, real, MAP, SCALE, FAST)
        S = keep * S + (write * phi_k)[:, None] * v
        z = keep * z + write * phi_k
        read += phi_q[:, None] * S
        norm += phi_q * z
        tl.store(new_S_ptr + at, S, mask=tile)
        tl.store(new_z_ptr + d, z, mask=real)
        if HALVES == 2:
            S_2 = keep * S_2 + (write * phi_k_2)[:, None] * v
            z_2 = keep * z_2 + write * phi_k_2
            read += phi_q_2[:, None] * S_2
            norm += phi_q_2 * z_2
            tl.store(new_S_ptr + K * E + at, S_2, mask=tile)
            tl.store(new_z_ptr + K + d, z_2, mask=real)
    out = tl.sum(read, 0)[None, :] / tl.maximum(tl.sum(norm, 0), MIN_NORM)
    tl.store(out_ptr + to * E + e, out.to(out_ptr.dtype.element_ty), mask=e < E)
    if GATE != "none":
        keep, write = _coming_gate(write, logit_ptr + row * logit_r + h, separator_ptr + row, GATE)
    tl.store(new_keep_ptr + to, keep)
    tl.store(new_write_ptr + to, write)
