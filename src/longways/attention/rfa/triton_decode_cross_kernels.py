"""The Triton kernels of one cross decoding step: features and read in one go.

B windows, T beams, H heads, E head size, K projections, D features.

q comes projected; of the random maps it follows its projections, since its length counts. Of
several beams one program takes all of one window and head, so that S is loaded once for them.
Where windows abound a program takes a few of them: their rows fill up the tile of 16 that the
matrix units take at least, and are read one memory after another.

A single beam is no work for matrix units: S is a tile of (features, head), read by elementwise sums
in the order in which it comes from memory.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl

from longways.attention.rfa.triton_decode_kernels import _log_total, _offset, _phi, _shrink
from longways.attention.triton_early import call_next, wait


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


@triton.jit
def _log_totals(u_ptr, known, K: tl.constexpr, PADDED_K: tl.constexpr):
    """log of the sum of exp(u) over the projections of each row that is known."""
    d = tl.arange(0, PADDED_K)[None, :]
    u = tl.load(u_ptr + d, mask=known & (d < K), other=0.0).to(tl.float32)
    return log_sums(tl.where(d < K, u, -float("inf")))


@triton.jit
def log_sums(u):
    """log of the sum of exp(u) over each row."""
    most = tl.max(u, 1)
    return most + tl.log(tl.sum(tl.exp(u - most[:, None]), 1))


@triton.jit(do_not_specialize=["B", "T"])
def cross_decode(
    q_ptr, tau_ptr, S_ptr, z_ptr, out_ptr,
    q_b, q_h, q_t, S_b, S_h, z_b, z_h, out_b, out_h, out_t, B, H, T,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    GROUP: tl.constexpr, BEAMS: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr,
    PRECISION: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """out (B, H, T, E) by GROUP windows and BEAMS beams of each, BLOCK rows together.

    Features enter the products in the precision of the memory.
    """
    call_next(EARLY)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    wait(EARLY)
    blocks = tl.cdiv(T, BEAMS)
    program, h = tl.program_id(0) // H, tl.program_id(0) % H
    first = (program // blocks).to(tl.int64) * GROUP
    row = tl.arange(0, BLOCK)
    b, t = first + row // BEAMS, (program % blocks) * BEAMS + row % BEAMS
    e = tl.arange(0, PADDED_E)
    known = ((row < GROUP * BEAMS) & (b < B) & (t < T))[:, None]
    rows = known & (e < E)[None, :]
    q_ptr += (b * q_b + h * q_h + t * q_t)[:, None]
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset = _offset(tau, MAP)
    if MAP == "spiky":
        offset = _log_totals(q_ptr, known, K, PADDED_K)[:, None]
    if TEMPERED:
        shrink = _shrink(tl.load(q_ptr + K + e[None, :], mask=rows, other=0.0), tau, EPSILON)
    read = tl.zeros((BLOCK, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK, BLOCK_K), tl.float32)
    for start in range(0, K, BLOCK_K):
        d = start + tl.arange(0, BLOCK_K)
        real, at = d < K, d[:, None] * S_d + e[None, :]
        tile = real[:, None] & (e < E)[None, :]
        u = tl.load(q_ptr + d[None, :], mask=known & real[None, :], other=0.0).to(tl.float32)
        if TEMPERED:
            u *= shrink[:, None]
        phi, phi_2 = _phi(u, offset, real[None, :], MAP, SCALE, FAST)
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


@triton.jit
def _memories(
    S_ptr, z_ptr, start, e, HALVES: tl.constexpr, S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """S and z of some features, and of their other halves; those again, if they have none."""
    d = start + tl.arange(0, BLOCK_K)
    real, at = d < K, d[:, None] * S_d + e
    tile = real[:, None] & (e < E)
    S = tl.load(S_ptr + at, mask=tile, other=0.0)
    z = tl.load(z_ptr + d * z_d, mask=real, other=0.0)
    S_2, z_2 = S, z
    if HALVES == 2:
        S_2 = tl.load(S_ptr + K * S_d + at, mask=tile, other=0.0)
        z_2 = tl.load(z_ptr + (K + d) * z_d, mask=real, other=0.0)
    return S, z, S_2, z_2


@triton.jit
def cross_decode_single(
    q_ptr, tau_ptr, S_ptr, z_ptr, out_ptr,
    q_b, q_h, S_b, S_h, z_b, z_h, out_b, out_h, H,
    MAP: tl.constexpr, TEMPERED: tl.constexpr, FAST: tl.constexpr,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, MIN_NORM: tl.constexpr,
    S_d: tl.constexpr, z_d: tl.constexpr,
    K: tl.constexpr, PADDED_K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    BLOCK_K: tl.constexpr, SETTLED: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """out (B, H, 1, E) by one window and head. Features are rounded as the memory is."""
    call_next(EARLY)
    HALVES: tl.constexpr = 2 if TEMPERED else 1
    b, h = (tl.program_id(0) // H).to(tl.int64), tl.program_id(0) % H
    e = tl.arange(0, PADDED_E)[None, :]
    S_ptr += b * S_b + h * S_h
    z_ptr += b * z_b + h * z_h
    q_ptr += b * q_b + h * q_h
    tau = tl.load(tau_ptr + h) if TEMPERED else 1.0
    offset = _offset(tau, MAP)
    read = tl.zeros((BLOCK_K, PADDED_E), tl.float32)
    norm = tl.zeros((BLOCK_K,), tl.float32)
    if not SETTLED:
        wait(EARLY)
    S, z, S_2, z_2 = _memories(S_ptr, z_ptr, 0, e, HALVES, S_d, z_d, K, E, BLOCK_K)
    if SETTLED:
        wait(EARLY)
    if MAP == "spiky":
        offset = _log_total(q_ptr, K, PADDED_K)
    if TEMPERED:
        shrink = _shrink(tl.load(q_ptr + K + e, mask=e < E, other=0.0), tau, EPSILON)
    for start in tl.static_range(0, K, BLOCK_K):
        if start + BLOCK_K < K:  # on their way while these are multiplied
            coming = _memories(S_ptr, z_ptr, start + BLOCK_K, e, HALVES, S_d, z_d, K, E, BLOCK_K)
        d = start + tl.arange(0, BLOCK_K)
        u = tl.load(q_ptr + d, mask=d < K, other=0.0).to(tl.float32)
        if TEMPERED:
            u *= shrink
        phi, phi_2 = _phi(u, offset, d < K, MAP, SCALE, FAST)
        phi = phi.to(S.dtype).to(tl.float32)
        read += phi[:, None] * S.to(tl.float32)
        norm += phi * z.to(tl.float32)
        if HALVES == 2:
            phi_2 = phi_2.to(S.dtype).to(tl.float32)
            read += phi_2[:, None] * S_2.to(tl.float32)
            norm += phi_2 * z_2.to(tl.float32)
        if start + BLOCK_K < K:
            S, z, S_2, z_2 = coming
    out = tl.sum(read, 0)[None, :] / tl.maximum(tl.sum(norm, 0), MIN_NORM)
    at = b * out_b + h * out_h + e
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=e < E)
