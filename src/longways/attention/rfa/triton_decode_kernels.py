"""The Triton kernels of one decoding step: projection, features, gate, state and read in one go.

R rows (windows x beams), B windows, T beams, H heads, E head size, K projections, D features.

Causal: one program takes one row and head. S is a tile of (features, head) rows, read from the
parent's place and written to the row's own place in another buffer, each element once and in the
order it lies in memory. The same tile of W projects the query and the key by elementwise sums,
in the layout of S; q, k and v are tiles of one row for the same reason, so that no warp waits
for another before the state is on its way. All loads of a block come before its first store: the
compiler cannot know that the buffers are different ones.

Cross: one program takes all beams of one window and head, so that S and W are loaded once for
them. W weighs as much as a window's memory in half precision and comes from the cache for every
program, so where windows abound a program takes a few of them. Their rows are projected together,
in the tile of 16 that the matrix units take at least, and read one memory after another.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl

from longways.attention.triton_features_kernels import _project, _rows_of_W, _sin_cos

LOG_2_HALF = tl.constexpr(0.34657359027997264)
"""log(2) / 2, in the offset of the positive map."""


@triton.jit
def _shrink(x, tau, MAP: tl.constexpr, EPSILON: tl.constexpr):
    """What turns W x into u, for each row x: 1 / ((|x| + eps) tau), or 1 for the learned map."""
    square = tl.sum(x * x, 1)
    if MAP == "learned":
        return square * 0.0 + 1.0
    else:  # noqa: RET505 - Triton decides at compile time which branch there is
        return 1.0 / ((tl.sqrt(square) + EPSILON) * tau)


@triton.jit
def _phi(u, tau, real, MAP: tl.constexpr, SCALE: tl.constexpr, FAST: tl.constexpr):
    """Both halves of the features of u, 0 beyond K; the learned map has only the first."""
    if MAP == "random":
        first, second = _sin_cos(u, FAST)
    elif MAP == "positive":
        offset = 1.0 / (tau * tau) + LOG_2_HALF
        first, second = tl.exp(u - offset), tl.exp(-u - offset)
    else:
        first, second = tl.maximum(u, 0.0), u
    return tl.where(real, SCALE * first, 0.0), tl.where(real, SCALE * second, 0.0)


@triton.jit
def _coming_gate(write, logit_ptr, separator_ptr, row, at, GATE: tl.constexpr):
    """keep and write of the token after this one, from the write of this one."""
    f = tl.sigmoid(tl.load(logit_ptr + at).to(tl.float32))
    ends = tl.load(separator_ptr + row) != 0
    if GATE == "average":
        write = tl.where(ends, 1.0 - f, write)
    return tl.where(ends, f, 1.0), write


@triton.jit
def causal_decode(
    q_ptr, k_ptr, v_ptr, W_ptr, tau_ptr, bias_ptr, parents_ptr, logit_ptr, separator_ptr,
    S_ptr, z_ptr, keep_ptr, write_ptr,
    out_ptr, new_S_ptr, new_z_ptr, new_keep_ptr, new_write_ptr,
    q_r, q_h, k_r, k_h, v_r, v_h, H,
    MAP: tl.constexpr, GATE: tl.constexpr, REORDERED: tl.constexpr, IN_PLACE: tl.constexpr,
    FAST: tl.constexpr, SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """out (R, H, E) and the new S (R, H, D, E), z (R, H, D), keep and write (R, H)."""
    HALVES: tl.constexpr = 1 if MAP == "learned" else 2
    row, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    to = row * H + h
    parent = tl.load(parents_ptr + row).to(tl.int64) if REORDERED else row
    from_ = parent * H + h
    e = tl.arange(0, PADDED_E)[None, :]
    q = tl.load(q_ptr + row * q_r + h * q_h + e, mask=e < E, other=0.0).to(tl.float32)
    k = tl.load(k_ptr + row * k_r + h * k_h + e, mask=e < E, other=0.0).to(tl.float32)
    v = tl.load(v_ptr + row * v_r + h * v_h + e, mask=e < E, other=0.0).to(tl.float32)
    keep, write = tl.load(keep_ptr + from_), tl.load(write_ptr + from_)
    tau = 1.0 if MAP == "learned" else tl.load(tau_ptr + h)
    shrink_q, shrink_k = _shrink(q, tau, MAP, EPSILON), _shrink(k, tau, MAP, EPSILON)
    S_ptr += from_ * (HALVES * K * E)
    z_ptr += from_ * (HALVES * K)
    new_S_ptr += to * (HALVES * K * E)
    new_z_ptr += to * (HALVES * K)
    read = tl.zeros((BLOCK_K, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK_K,), tl.float32)
    for start in range(0, K, BLOCK_K):
        d = start + tl.arange(0, BLOCK_K)
        real, at = d < K, d[:, None] * E + e
        tile = real[:, None] & (e < E)
        S = tl.load(S_ptr + at, mask=tile, other=0.0)
        z = tl.load(z_ptr + d, mask=real, other=0.0)
        if HALVES == 2:
            S_2 = tl.load(S_ptr + K * E + at, mask=tile, other=0.0)
            z_2 = tl.load(z_ptr + K + d, mask=real, other=0.0)
        W = tl.load(W_ptr + h * (K * E) + at, mask=tile, other=0.0)
        if IN_PLACE:  # warps that hold the same small tile must all have read it
            tl.debug_barrier()
        u_q, u_k = tl.sum(W * q, 1) * shrink_q, tl.sum(W * k, 1) * shrink_k
        if MAP == "learned":
            bias = tl.load(bias_ptr + h * K + d, mask=real, other=0.0)
            u_q, u_k = u_q + bias, u_k + bias
        phi_q, phi_q_2 = _phi(u_q, tau, real, MAP, SCALE, FAST)
        phi_k, phi_k_2 = _phi(u_k, tau, real, MAP, SCALE, FAST)
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
        keep, write = _coming_gate(write, logit_ptr, separator_ptr, row, to, GATE)
    tl.store(new_keep_ptr + to, keep)
    tl.store(new_write_ptr + to, write)


@triton.jit
def _read_rows(phi, S_ptr, z_ptr, at, z_at, tile, real, read, norm, PRECISION: tl.constexpr):
    """read and norm with one block of one window's memory added, for all rows of phi.

    norm has a column for each projection of a block: it is summed up once, after all blocks.
    """
    S = tl.load(S_ptr + at, mask=tile, other=0.0)
    z = tl.load(z_ptr + z_at, mask=real, other=0.0).to(tl.float32)
    phi = phi.to(S.dtype)
    norm += phi.to(tl.float32) * z[None, :]
    return tl.dot(phi, S, read, input_precision=PRECISION), norm


@triton.jit(do_not_specialize=["B", "T"])
def cross_decode(
    q_ptr, W_ptr, tau_ptr, bias_ptr, S_ptr, z_ptr, out_ptr,
    q_b, q_h, q_t, S_b, S_h, z_b, z_h, out_b, out_h, out_t, B, H, T,
    MAP: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    GROUP: tl.constexpr, BEAMS: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """out (B, H, T, E) by GROUP windows and BEAMS beams of each, BLOCK rows together.

    Features enter the products in the precision of the memory.
    """
    HALVES: tl.constexpr = 1 if MAP == "learned" else 2
    blocks = tl.cdiv(T, BEAMS)
    program, h = tl.program_id(0) // H, tl.program_id(0) % H
    first = (program // blocks).to(tl.int64) * GROUP
    row = tl.arange(0, BLOCK)
    b, t = first + row // BEAMS, (program % blocks) * BEAMS + row % BEAMS
    e = tl.arange(0, PADDED_E)
    rows = ((row < GROUP * BEAMS) & (b < B) & (t < T))[:, None] & (e < E)[None, :]
    q_at = (b * q_b + h * q_h + t * q_t)[:, None] + e[None, :]
    q = tl.load(q_ptr + q_at, mask=rows, other=0.0)
    tau = 1.0 if MAP == "learned" else tl.load(tau_ptr + h)
    shrink = _shrink(q.to(tl.float32), tau, MAP, EPSILON)
    read = tl.zeros((BLOCK, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK, BLOCK_K), tl.float32)
    for start in range(0, K, BLOCK_K):
        d = start + tl.arange(0, BLOCK_K)
        real, at = d < K, d[:, None] * S_d + e[None, :]
        tile = real[:, None] & (e < E)[None, :]
        W = _rows_of_W(W_ptr, h, start, K, E, PADDED_E, BLOCK_K)
        u = _project(q, W, PRECISION) * shrink[:, None]
        if MAP == "learned":
            u += tl.load(bias_ptr + h * K + d, mask=real, other=0.0)[None, :]
        phi, phi_2 = _phi(u, tau, real[None, :], MAP, SCALE, FAST)
        for g in tl.static_range(GROUP):
            w = tl.minimum(first + g, B - 1)
            S, z = S_ptr + w * S_b + h * S_h, z_ptr + w * z_b + h * z_h
            own = (row // BEAMS == g)[:, None]  # the others add 0 to what they read elsewhere
            one, z_at = tl.where(own, phi, 0.0), d * z_d
            read, norm = _read_rows(one, S, z, at, z_at, tile, real, read, norm, PRECISION)
            if HALVES == 2:
                two, at_2, z_2 = tl.where(own, phi_2, 0.0), K * S_d + at, K * z_d + z_at
                read, norm = _read_rows(two, S, z, at_2, z_2, tile, real, read, norm, PRECISION)
    out = read / tl.maximum(tl.sum(norm, 1), MIN_NORM)[:, None]
    out_at = (b * out_b + h * out_h + t * out_t)[:, None] + e[None, :]
    tl.store(out_ptr + out_at, out.to(out_ptr.dtype.element_ty), mask=rows)
