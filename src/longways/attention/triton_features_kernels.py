"""The Triton kernels of random features: phi in one pass over x, and back in one over dphi.

B batch, H heads, T tokens, E head size, K projections.

One program takes a block of tokens of one head, whichever windows they are in, and walks over K;
the angles u = W x^ / tau never leave registers. A half-precision x is multiplied by W as it is,
and divided by its length and tau afterwards: x is then exact in the product, and only W has to
be split in two halves for u to be as good as in float32.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl
from triton.language.extra import libdevice

INTERPRETED = triton.knobs.runtime.interpret
"""Whether kernels run as plain Python on the CPU, where the GPU's own sine is not to be had."""


@triton.jit
def _place(tokens, H, T, BLOCK: tl.constexpr):
    """The head of this program, and of each of its tokens: whether it exists, its b and its t."""
    program = tl.program_id(0)
    token = (program // H) * BLOCK + tl.arange(0, BLOCK)
    return (program % H).to(tl.int64), token < tokens, (token // T).to(tl.int64), token % T


@triton.jit
def _rows_of_W(
    W_ptr, h, start, K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr, BLOCK_K: tl.constexpr
):
    """Rows start, start + 1, ... of W for head h, zero beyond K and E: (BLOCK_K, PADDED_E)."""
    k = start + tl.arange(0, BLOCK_K)
    e = tl.arange(0, PADDED_E)
    mask = (k < K)[:, None] & (e < E)[None, :]
    return tl.load(W_ptr + h * K * E + k[:, None] * E + e[None, :], mask=mask, other=0.0)


@triton.jit
def _project(x, W, PRECISION: tl.constexpr):
    """x W^T as float32 would have it: W split in two where x is in half precision."""
    if x.dtype == tl.float32:
        u = tl.dot(x, tl.trans(W), input_precision=PRECISION)
    else:
        high = W.to(x.dtype)
        low = (W - high.to(tl.float32)).to(x.dtype)
        u = tl.dot(x, tl.trans(low))
        u = tl.dot(x, tl.trans(high), u)
    return u


@triton.jit
def _sin_cos(u, FAST: tl.constexpr):
    """Both at once; the fast ones err by 1e-6 where |u| < 40, less than half precision shows."""
    if FAST:
        return libdevice.fast_sinf(u), libdevice.fast_cosf(u)
    else:  # noqa: RET505 - Triton decides at compile time which branch there is
        return tl.sin(u), tl.cos(u)


@triton.jit(do_not_specialize=["tokens", "T"])
def features_forward(
    x_ptr, W_ptr, tau_ptr, weight_ptr, phi_ptr,
    x_b, x_h, x_t, tokens, H, T,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, WEIGHTED: tl.constexpr, FAST: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    BLOCK: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """phi (B, H, T, 2 K), contiguous, each token times its weight where there are weights."""
    h, real, b, t = _place(tokens, H, T, BLOCK)
    e = tl.arange(0, PADDED_E)
    at = h * x_h + b * x_b + t * x_t
    x = tl.load(x_ptr + at[:, None] + e[None, :], mask=real[:, None] & (e < E)[None, :], other=0.0)
    wide = x.to(tl.float32)
    length = tl.sqrt(tl.sum(wide * wide, 1)) + EPSILON
    inverse = 1.0 / (length * tl.load(tau_ptr + h))
    row = (b * H + h) * T + t
    scale = tl.full((BLOCK,), SCALE, tl.float32)
    if WEIGHTED:
        scale *= tl.load(weight_ptr + row, mask=real, other=0.0)
    for start in range(0, K, BLOCK_K):
        W = _rows_of_W(W_ptr, h, start, K, E, PADDED_E, BLOCK_K)
        sin, cos = _sin_cos(_project(x, W, PRECISION) * inverse[:, None], FAST)
        k = start + tl.arange(0, BLOCK_K)
        to = phi_ptr + row[:, None] * (2 * K) + k[None, :]
        mask = real[:, None] & (k < K)[None, :]
        tl.store(to, (sin * scale[:, None]).to(phi_ptr.dtype.element_ty), mask=mask)
        tl.store(to + K, (cos * scale[:, None]).to(phi_ptr.dtype.element_ty), mask=mask)


@triton.jit(do_not_specialize=["tokens", "T"])
def features_backward(
    x_ptr, W_ptr, tau_ptr, weight_ptr, dphi_ptr, dx_ptr, dtau_ptr, dweight_ptr,
    x_b, x_h, x_t, dphi_b, dphi_h, dphi_t, dx_b, dx_h, dx_t, tokens, H, T,
    SCALE: tl.constexpr, EPSILON: tl.constexpr, WEIGHTED: tl.constexpr, FAST: tl.constexpr,
    K: tl.constexpr, E: tl.constexpr, PADDED_E: tl.constexpr,
    BLOCK: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The gradients of x and of the weights, and each program's share of that of tau.

    x acts through u = r W x / tau with r = 1 / (|x| + eps), and |x| makes every u longer or
    shorter alike: dx = r (W^T du / tau - x (u . du) / |x|). tau does too: dtau = -(u . du) / tau.
    """
    h, real, b, t = _place(tokens, H, T, BLOCK)
    e = tl.arange(0, PADDED_E)
    mask_x = real[:, None] & (e < E)[None, :]
    at = h * x_h + b * x_b + t * x_t
    x = tl.load(x_ptr + at[:, None] + e[None, :], mask=mask_x, other=0.0)
    wide = x.to(tl.float32)
    length = tl.sqrt(tl.sum(wide * wide, 1))
    r = 1.0 / (length + EPSILON)
    tau = tl.load(tau_ptr + h)
    row = (b * H + h) * T + t
    scale = tl.full((BLOCK,), SCALE, tl.float32)
    if WEIGHTED:
        scale *= tl.load(weight_ptr + row, mask=real, other=0.0)
    dweight = tl.zeros((BLOCK,), tl.float32)
    along = tl.zeros((BLOCK,), tl.float32)  # u . du
    dx = tl.zeros((BLOCK, PADDED_E), tl.float32)
    from_ = dphi_ptr + (h * dphi_h + b * dphi_b + t * dphi_t)[:, None]
    for start in range(0, K, BLOCK_K):
        W = _rows_of_W(W_ptr, h, start, K, E, PADDED_E, BLOCK_K)
        k = start + tl.arange(0, BLOCK_K)
        mask = real[:, None] & (k < K)[None, :]
        dsin = tl.load(from_ + k[None, :], mask=mask, other=0.0).to(tl.float32)
        dcos = tl.load(from_ + K + k[None, :], mask=mask, other=0.0).to(tl.float32)
        u = _project(x, W, PRECISION) * (r / tau)[:, None]
        sin, cos = _sin_cos(u, FAST)
        du = (cos * dsin - sin * dcos) * scale[:, None]
        along += tl.sum(u * du, 1)
        if WEIGHTED:
            dweight += tl.sum(sin * dsin + cos * dcos, 1)
        dx = tl.dot(du.to(x.dtype), W.to(x.dtype), dx, input_precision=PRECISION)
    shrink = along / tl.where(length > 0, length, 1.0)  # where x is 0, so is u . du
    dx = (dx / tau - wide * shrink[:, None]) * r[:, None]
    at = h * dx_h + b * dx_b + t * dx_t
    tl.store(dx_ptr + at[:, None] + e[None, :], dx.to(dx_ptr.dtype.element_ty), mask=mask_x)
    tl.store(dtau_ptr + tl.program_id(0), -tl.sum(along, 0) / tau)
    if WEIGHTED:
        tl.store(dweight_ptr + row, dweight * SCALE, mask=real)
