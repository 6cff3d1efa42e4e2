"""The Triton kernels of a decoding step: tokens, caches, norms, and the likeliest tokens."""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl

from longways.attention.triton_early import wait


@triton.jit
def read_tokens_kernel(
    token_ptr, offset_ptr, length_ptr, weight_ptr, table_ptr, x_ptr, position_ptr, separator_ptr,
    K, last, d, scale, SEP: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One row: its token embedded at its position, rounded between the two as torch would."""
    row = tl.program_id(0).to(tl.int64)
    e = tl.arange(0, BLOCK)
    wait(EARLY)
    token, slot = tl.load(token_ptr + row), row // K
    position = tl.load(offset_ptr + slot) + tl.load(length_ptr + slot)
    position = tl.minimum(position, last)
    x = scale * tl.load(weight_ptr + token * d + e, mask=e < d, other=0.0).to(tl.float32)
    x = x.to(x_ptr.dtype.element_ty).to(tl.float32)
    x += tl.load(table_ptr + position * d + e, mask=e < d, other=0.0).to(tl.float32)
    tl.store(x_ptr + row * d + e, x.to(x_ptr.dtype.element_ty), mask=e < d)
    tl.store(position_ptr + row, position)
    tl.store(separator_ptr + row, token == SEP)


@triton.jit
def append_kernel(
    keys_ptr, values_ptr, k_ptr, v_ptr, position_ptr, k_r, v_r, N,
    H: tl.constexpr, E: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One row: its key and value of every head to their place in the cache."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    real = i < H * E
    wait(EARLY)
    at = (row * H + i // E) * N * E + tl.load(position_ptr + row) * E + i % E
    k = tl.load(k_ptr + row * k_r + i, mask=real, other=0.0)
    v = tl.load(v_ptr + row * v_r + i, mask=real, other=0.0)
    tl.store(keys_ptr + at, k.to(keys_ptr.dtype.element_ty), mask=real)
    tl.store(values_ptr + at, v.to(values_ptr.dtype.element_ty), mask=real)


@triton.jit
def add_norm_kernel(
    x_ptr, update_ptr, weight_ptr, bias_ptr, total_ptr, normed_ptr, d, epsilon,
    UPDATED: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One row: the sum in the precision of x, and its norm from that sum, as torch would.

    Without an update x is the sum, and is not written.
    """
    row = tl.program_id(0).to(tl.int64)
    e = tl.arange(0, BLOCK)
    real, at = e < d, row * d + e
    wait(EARLY)
    x = tl.load(x_ptr + at, mask=real, other=0.0).to(tl.float32)
    if UPDATED:
        x += tl.load(update_ptr + at, mask=real, other=0.0).to(tl.float32)
        rounded = x.to(total_ptr.dtype.element_ty)
        tl.store(total_ptr + at, rounded, mask=real)
        x = rounded.to(tl.float32)
    mean = tl.sum(x, 0) / d
    centred = tl.where(real, x - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / d + epsilon)
    weight = tl.load(weight_ptr + e, mask=real, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + e, mask=real, other=0.0).to(tl.float32)
    normed = centred * scale * weight + bias
    tl.store(normed_ptr + at, normed.to(normed_ptr.dtype.element_ty), mask=real)


@triton.jit
def best_of_parts(
    logits_ptr, forbidden_ptr, values_ptr, ids_ptr, sums_ptr, words, parts,
    FORBIDDEN: tl.constexpr, C: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One part of one row: its greatest logit, its sum of exponentials, and its best tokens."""
    row, part = tl.program_id(0).to(tl.int64), tl.program_id(1)
    at = part * BLOCK + tl.arange(0, BLOCK)
    wait(EARLY)
    x = tl.load(logits_ptr + row * words + at, mask=at < words, other=-float("inf"))
    x = x.to(tl.float32)
    greatest = tl.max(x, 0)
    place = row * parts + part
    tl.store(sums_ptr + 2 * place, greatest)
    tl.store(sums_ptr + 2 * place + 1, tl.sum(tl.exp(x - greatest), 0))
    for i in tl.static_range(FORBIDDEN):
        x = tl.where(at == tl.load(forbidden_ptr + i), -float("inf"), x)
    for c in tl.static_range(C):
        best, where = tl.max(x, 0, return_indices=True)
        tl.store(values_ptr + place * C + c, best)
        tl.store(ids_ptr + place * C + c, part * BLOCK + where)
        x = tl.where(at == part * BLOCK + where, -float("inf"), x)


@triton.jit
def best_of_row(
    values_ptr, ids_ptr, sums_ptr, best_ptr, chosen_ptr, parts,
    C: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One row: the best tokens of its parts joined, as log-probabilities."""
    row = tl.program_id(0).to(tl.int64)
    p = tl.arange(0, PARTS)
    sums = sums_ptr + 2 * (row * parts + p)
    wait(EARLY)
    greatest = tl.load(sums, mask=p < parts, other=-float("inf"))
    total = tl.load(sums + 1, mask=p < parts, other=0.0)
    most = tl.max(greatest, 0)
    log_sum = most + tl.log(tl.sum(total * tl.exp(greatest - most), 0))
    at = tl.arange(0, BLOCK)
    real = at < parts * C
    values = tl.load(values_ptr + row * parts * C + at, mask=real, other=-float("inf"))
    for c in tl.static_range(C):
        best, where = tl.max(values, 0, return_indices=True)
        tl.store(best_ptr + row * C + c, best - log_sum)
        tl.store(chosen_ptr + row * C + c, tl.load(ids_ptr + row * parts * C + where).to(tl.int64))
        values = tl.where(at == where, -float("inf"), values)
