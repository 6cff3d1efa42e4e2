"""The end of a decoding step as Triton kernels: the best words, the search, what is read next.

B slots, K beams, R = B K rows, V words, C candidates of a row, P parts that a row is cut into.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.dependent_launch import call_next, early, wait
from longways.attention.rfa.shapes import padded
from longways.decoding.gpu.device_beam_search import DeviceSearch
from longways.decoding.gpu.kernels.beam_step import search_sizes, search_state, search_tile
from longways.decoding.gpu.kernels.sort_keys import ordered, taken_apart, without
from longways.text.tokenizers.special_tokens import SEP

if TYPE_CHECKING:
    from longways.decoding.gpu.next_token import Reading

LOG2_E = tl.constexpr(1.4426950408889634)

PART = 2048
"""Words that one program looks at: enough programs for few rows, and few parts to join."""

MANY_ROWS = 256
"""Rows from which one warp takes a part: no other has to wait for it."""

PART_WARPS = 4
"""Warps of a part where there are fewer."""

WARP = 1024
"""Candidates of all parts that one warp joins, those of all beams counted."""


class Parts(NamedTuple):
    """The best of every part of a row, and how much probability there is."""

    values: Tensor  # (R, P, C)  logits, float32
    ids: Tensor  # (R, P, C)
    sums: Tensor  # (R, P, 2)  the greatest logit, and the sum of exponentials less that


def new_parts(like: Tensor, rows: int, parts: int, count: int) -> Parts:
    """Room for them."""
    values = like.new_empty(rows, parts, count, dtype=torch.float32)
    ids = torch.empty(values.shape, dtype=torch.int32, device=like.device)
    return Parts(values, ids, values.new_empty(rows, parts, 2))


def best_parts(logits: Tensor, count: int, forbidden: Tensor) -> Parts:
    """Of logits (R, V), which are read once."""
    logits = logits.contiguous()
    rows, words = logits.shape
    parts = -(-words // PART)
    found = new_parts(logits, rows, parts, count)
    best_of_parts[(rows, parts)](
        logits, forbidden, *found, words, parts,
        FORBIDDEN=len(forbidden), C=count, BLOCK=PART, SHIFT=places(PART),
        num_warps=1 if rows >= MANY_ROWS else PART_WARPS, **early(logits),
    )  # fmt: skip
    return found


def choose_fused(
    parts: Parts, search: DeviceSearch, reading: Reading
) -> tuple[Tensor, Tensor, Tensor]:
    """What `DeviceSearch.read` does with the best of all parts, and what is read then."""
    out, (rows, count, candidates) = _room(search, reading), parts.values.shape
    scores, words = (one.new_empty(rows, candidates) for one in (parts.values, parts.ids))
    sizes = search_sizes(search, candidates)
    block = padded(count * candidates)
    choose_kernel[(len(search.tokens),)](
        *parts, scores, words, *search_state(search), *_read_from(reading), *out, count,
        **sizes, D=reading.embedding.dim, PADDED_D=padded(reading.embedding.dim),
        PARTS=padded(count), BLOCK=block, SHIFT=places(block),
        num_warps=_warps(sizes["PADDED_K"] * block), **early(out[0]),
    )  # fmt: skip
    return out


def read_tokens_fused(search: DeviceSearch, reading: Reading) -> tuple[Tensor, Tensor, Tensor]:
    """What `choosing.read_tokens` says, all by one kernel."""
    out = _room(search, reading)
    read_tokens_kernel[(len(out[0]),)](
        search.tokens, search.length, *_read_from(reading), *out, search.config.beams,
        SEP=SEP, D=reading.embedding.dim, PADDED_D=padded(reading.embedding.dim),
        num_warps=4, **early(out[0]),
    )  # fmt: skip
    return out


def _room(search: DeviceSearch, reading: Reading) -> tuple[Tensor, Tensor, Tensor]:
    """For what is read: embedded tokens, positions, separators."""
    rows = search.tokens.numel()
    x = reading.embedding.tokens.weight.new_empty(rows, reading.embedding.dim)
    positions = torch.empty(rows, dtype=torch.long, device=x.device)
    return x, positions, torch.empty_like(positions, dtype=torch.bool)


def _read_from(reading: Reading) -> tuple[Tensor, Tensor, Tensor, float, int]:
    embedding = reading.embedding
    weight, table = embedding.tokens.weight, embedding.table
    return reading.offsets, weight, table, embedding.scale, reading.last


def places(count: int) -> int:
    """Bits of a place among so many."""
    return (count - 1).bit_length()


def _warps(numbers: int) -> int:
    return max(1, min(8, numbers // WARP))


@triton.jit
def best_of_parts(
    logits_ptr, forbidden_ptr, values_ptr, ids_ptr, sums_ptr, words, parts,
    FORBIDDEN: tl.constexpr, C: tl.constexpr, BLOCK: tl.constexpr, SHIFT: tl.constexpr,
    EARLY: tl.constexpr,
):  # fmt: skip
    """Of one part of one row: the greatest logit, the sum of exponentials, and the best words."""
    call_next(EARLY)
    row, part = tl.program_id(0).to(tl.int64), tl.program_id(1)
    start, column = part * BLOCK, tl.arange(0, BLOCK)
    place = row * parts + part
    wait(EARLY)
    at = start + column
    x = tl.load(logits_ptr + row * words + at, mask=at < words, other=-float("inf"))
    wide = x.to(tl.float32)
    greatest = tl.max(wide, 0)
    tl.store(sums_ptr + 2 * place, greatest)
    tl.store(sums_ptr + 2 * place + 1, tl.sum(tl.exp2((wide - greatest) * LOG2_E), 0))
    for i in tl.static_range(FORBIDDEN):
        word = tl.load(forbidden_ptr + i) - start
        if (word >= 0) & (word < BLOCK):
            wide = tl.where(column == word, -float("inf"), wide)
    keys = ordered(wide.to(x.dtype), column, SHIFT)
    for c in tl.static_range(C):
        best = tl.max(keys, 0)
        value, where = taken_apart(best, x.dtype, SHIFT)
        tl.store(values_ptr + place * C + c, value)
        tl.store(ids_ptr + place * C + c, start + where)
        keys = without(keys, best)


@triton.jit
def _join(
    row, known, values_ptr, ids_ptr, sums_ptr, score_ptr, word_ptr, parts, dtype: tl.constexpr,
    C: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr, SHIFT: tl.constexpr,
):  # fmt: skip
    """Write the best words of some rows, from those of their parts: log-probabilities and ids."""
    p = tl.arange(0, PARTS)[None, :]
    some = known[:, None] & (p < parts)
    sums = sums_ptr + 2 * (row[:, None] * parts + p)
    greatest = tl.load(sums, mask=some, other=-float("inf"))
    total = tl.load(sums + 1, mask=some, other=0.0)
    most = tl.where(known, tl.max(greatest, 1), 0.0)
    total = tl.sum(total * tl.exp(greatest - most[:, None]), 1)
    log_sum = most + tl.log(tl.where(known, total, 1.0))
    at = tl.arange(0, BLOCK)[None, :]
    first = row * parts * C
    real = known[:, None] & (at < parts * C)
    values = tl.load(values_ptr + first[:, None] + at, mask=real, other=-float("inf"))
    keys = ordered(values.to(dtype), at, SHIFT)  # which they were in at first
    for i in tl.static_range(C):
        best = tl.max(keys, 1)
        value, where = taken_apart(best, dtype, SHIFT)
        tl.store(score_ptr + row * C + i, value - log_sum, mask=known)
        tl.store(word_ptr + row * C + i, tl.load(ids_ptr + first + where, mask=known), mask=known)
        keys = without(keys, best[:, None])


@triton.jit
def _read(
    row, known, token, position, weight_ptr, table_ptr, scale, x_ptr, position_ptr, separator_ptr,
    SEP: tl.constexpr, D: tl.constexpr, PADDED_D: tl.constexpr,
):  # fmt: skip
    """Rows of tokens embedded at a position, rounded between the two as torch would."""
    e = tl.arange(0, PADDED_D)[None, :]
    real = known[:, None] & (e < D)
    x = scale * tl.load(weight_ptr + token[:, None] * D + e, mask=real, other=0.0).to(tl.float32)
    x = x.to(x_ptr.dtype.element_ty).to(tl.float32)
    x += tl.load(table_ptr + position * D + e, mask=e < D, other=0.0).to(tl.float32)
    tl.store(x_ptr + row[:, None] * D + e, x.to(x_ptr.dtype.element_ty), mask=real)
    tl.store(position_ptr + row, position, mask=known)
    tl.store(separator_ptr + row, token == SEP, mask=known)


@triton.jit
def read_tokens_kernel(
    token_ptr, length_ptr, offset_ptr, weight_ptr, table_ptr, scale, last,
    x_ptr, position_ptr, separator_ptr, K,
    SEP: tl.constexpr, D: tl.constexpr, PADDED_D: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One row: its token embedded."""
    call_next(EARLY)
    row, known = tl.program_id(0).to(tl.int64) + tl.zeros((1,), tl.int64), tl.full((1,), 1, tl.int1)
    slot = tl.program_id(0) // K
    wait(EARLY)
    position = tl.minimum(tl.load(offset_ptr + slot) + tl.load(length_ptr + slot), last)
    _read(
        row, known, tl.load(token_ptr + row), position, weight_ptr, table_ptr, scale,
        x_ptr, position_ptr, separator_ptr, SEP, D, PADDED_D,
    )  # fmt: skip


@triton.jit
def choose_kernel(
    values_ptr, ids_ptr, sums_ptr, score_ptr, word_ptr,
    token_ptr, parent_ptr, beam_ptr, separator_ptr, life_ptr, length_ptr,
    ended_ptr, rank_ptr, least_ptr, most_ptr, wanted_ptr, integer_ptr, float_ptr, T, PLANE,
    offset_ptr, weight_ptr, table_ptr, scale, last, x_ptr, position_ptr, ends_ptr, parts,
    K: tl.constexpr, C: tl.constexpr, NBEST: tl.constexpr, ALPHA: tl.constexpr,
    EOS: tl.constexpr, SEP: tl.constexpr,
    PADDED_K: tl.constexpr, PADDED_C: tl.constexpr, PADDED_N: tl.constexpr,
    D: tl.constexpr, PADDED_D: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr,
    SHIFT: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """One slot: its candidates from all parts, a step of its search, and what it reads next.

    Candidates go through memory: in the layout that they come in, Triton 3.6 searches them wrongly.
    """
    call_next(EARLY)
    b = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, PADDED_K)
    row, known = b * K + k, k < K
    wait(EARLY)
    _join(
        row, known, values_ptr, ids_ptr, sums_ptr, score_ptr, word_ptr, parts,
        x_ptr.dtype.element_ty, C, PARTS, BLOCK, SHIFT,
    )  # fmt: skip
    tl.debug_barrier()  # all of them are there before any is read
    tokens, length = search_tile(
        b, score_ptr, word_ptr, token_ptr, parent_ptr, beam_ptr, separator_ptr, life_ptr,
        length_ptr, ended_ptr, rank_ptr, least_ptr, most_ptr, wanted_ptr, integer_ptr, float_ptr,
        T, PLANE, K, C, NBEST, ALPHA, EOS, SEP, PADDED_K, PADDED_C, PADDED_N,
    )  # fmt: skip
    position = tl.minimum(tl.load(offset_ptr + b) + length, last)
    _read(
        row, known, tokens, position, weight_ptr, table_ptr, scale,
        x_ptr, position_ptr, ends_ptr, SEP, D, PADDED_D,
    )  # fmt: skip
