"""One step of the device beam search in one slot, in Triton; `next_token` calls it in a kernel.

B slots, K beams, C candidates of a beam, T steps in the log.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from longways.text.tokenizers.special_tokens import EOS, SEP


def search_state(search: object) -> tuple[Any, ...]:
    """The tensors that `search_tile` reads and writes, in the order of its arguments."""
    return (
        search.tokens, search.parents, search.scores, search.separators,
        search.active, search.length, search.finished, search.ranks,
        search.min_tokens, search.max_tokens, search.required_separators,
        search.integers, search.floats,
        search.integers.shape[2], search.integers.stride(0),
    )  # fmt: skip


def search_sizes(search: object, candidates: int) -> dict[str, Any]:
    """Compile-time constants of `search_tile`."""
    return {
        "K": search.config.beams,
        "C": candidates,
        "NBEST": search.config.nbest,
        "ALPHA": float(search.config.alpha),
        "EOS": EOS,
        "SEP": SEP,
        "PADDED_K": triton.next_power_of_2(search.config.beams),
        "PADDED_C": triton.next_power_of_2(candidates),
        "PADDED_N": triton.next_power_of_2(search.config.nbest),
    }


@triton.jit
def _penalty(length, ALPHA: tl.constexpr):
    """Length penalty: length^alpha."""
    if ALPHA == 0.0:
        return length * 0.0 + 1.0
    elif ALPHA == 1.0:  # noqa: RET505 - Triton chooses the branch at compile time
        return length
    else:
        return tl.exp(ALPHA * tl.log(length))


@triton.jit
def _allowed(stops, ids, missing, sliding, too_early, too_late, SEP: tl.constexpr):
    """Mask of the candidates (K, C) that are allowed."""
    repeated = stops & (tl.cumsum(stops.to(tl.int32), 1) > 1)  # same words, another stop token
    wrong = (stops & (missing > 0)) | ((~stops) & (ids == SEP) & (missing <= 0))
    wrong = (repeated & sliding) | (wrong & (~sliding))
    return ~((stops & too_early) | ((~stops) & too_late) | wrong)


@triton.jit
def search_tile(
    b, score_ptr, id_ptr, token_ptr, parent_ptr, beam_ptr, separator_ptr, active_ptr, length_ptr,
    finished_ptr, rank_ptr, min_ptr, max_ptr, required_ptr, integer_ptr, float_ptr, T, PLANE,
    K: tl.constexpr, C: tl.constexpr, NBEST: tl.constexpr, ALPHA: tl.constexpr,
    EOS: tl.constexpr, SEP: tl.constexpr,
    PADDED_K: tl.constexpr, PADDED_C: tl.constexpr, PADDED_N: tl.constexpr,
):  # fmt: skip
    """`DeviceSearch.step` for slot b, from scores and ids (B, K, C) of candidates.

    Returns the chosen tokens (K,), padded, and the new length of the hypotheses.
    """
    k, c, n = tl.arange(0, PADDED_K), tl.arange(0, PADDED_C), tl.arange(0, PADDED_N)
    length, required = tl.load(length_ptr + b), tl.load(required_ptr + b)
    min_tokens, max_tokens = tl.load(min_ptr + b), tl.load(max_ptr + b)
    active = tl.load(active_ptr + b) != 0
    real = (k < K)[:, None] & (c < C)[None, :]
    at = (b * K + k)[:, None] * C + c[None, :]
    ids = tl.load(id_ptr + at, mask=real, other=0).to(tl.int64)
    separators = tl.load(separator_ptr + b * K + k, mask=k < K, other=0)
    scores = tl.load(beam_ptr + b * K + k, mask=k < K, other=-float("inf"))
    total = tl.load(score_ptr + at, mask=real, other=-float("inf")).to(tl.float64)
    total += scores[:, None]
    sliding = required < 0
    stops = real & ((ids == EOS) | (sliding & (ids == SEP)))
    missing = (required - separators)[:, None]
    too_early, too_late = min_tokens > length, max_tokens <= length
    allowed = _allowed(stops, ids, missing, sliding, too_early, too_late, SEP)
    total = tl.where(real & allowed, total, -float("inf"))
    flat = tl.reshape(total, (PADDED_K * PADDED_C,))
    flat_ids = tl.reshape(ids, (PADDED_K * PADDED_C,))
    flat_stops = tl.reshape(stops.to(tl.int32), (PADDED_K * PADDED_C,))
    place = tl.arange(0, PADDED_K * PADDED_C)
    tokens, parents = tl.full((PADDED_K,), EOS, tl.int64), tl.zeros((PADDED_K,), tl.int64)
    beams = tl.full((PADDED_K,), -float("inf"), tl.float64)
    final_scores, final_beams, stop_tokens = beams, parents, tokens
    ranks = tl.load(rank_ptr + b * NBEST + n, mask=n < NBEST, other=float("inf"))
    penalty = _penalty((length + 1).to(tl.float64), ALPHA)
    chosen_count, finished = 0, tl.load(finished_ptr + b)
    for i in tl.static_range(2 * K):
        best, where = tl.max(flat, 0, return_indices=True)
        here = place == where
        token = tl.sum(tl.where(here, flat_ids, 0), 0)
        stopped = tl.sum(tl.where(here, flat_stops, 0), 0) != 0
        beam = (where // PADDED_C).to(tl.int64)
        flat = tl.where(here, -float("inf"), flat)
        if i < K:
            score = tl.where(stopped & active, best, -float("inf"))
            final_scores = tl.where(k == i, score, final_scores)
            final_beams = tl.where(k == i, beam, final_beams)
            stop_tokens = tl.where(k == i, token, stop_tokens)
            finished += (score > -float("inf")).to(tl.int64)
            better = tl.maximum(score / penalty, tl.min(ranks, 0))  # replaces the worst rank
            ranks = tl.where(n == tl.argmin(ranks, 0), better, ranks)
        chosen = (k == chosen_count) & (~stopped)
        tokens, parents = tl.where(chosen, token, tokens), tl.where(chosen, beam, parents)
        beams = tl.where(chosen, best, beams)
        chosen_count += (~stopped).to(tl.int32)
    separators = tl.load(separator_ptr + b * K + parents, mask=k < K, other=0)
    separators += (tokens == SEP).to(tl.int64)
    tl.debug_barrier()  # all loads come before the first store
    mine = b * K + k
    tl.store(token_ptr + mine, tokens, mask=k < K)
    tl.store(parent_ptr + mine, b * K + parents, mask=k < K)
    tl.store(beam_ptr + mine, beams, mask=k < K)
    tl.store(separator_ptr + mine, separators, mask=k < K)
    entry = (b * T + length) * K + k
    second = entry + PLANE  # 64-bit integers: no overflow
    third = second + PLANE
    tl.store(integer_ptr + entry, tokens.to(tl.int32), mask=k < K)
    tl.store(integer_ptr + second, parents.to(tl.int32), mask=k < K)
    tl.store(integer_ptr + third, final_beams.to(tl.int32), mask=k < K)
    tl.store(integer_ptr + third + PLANE, stop_tokens.to(tl.int32), mask=k < K)
    tl.store(float_ptr + entry, beams, mask=k < K)
    tl.store(float_ptr + second, final_scores, mask=k < K)
    tl.store(rank_ptr + b * NBEST + n, ranks, mask=n < NBEST)
    tl.store(finished_ptr + b, finished)
    cut = max_tokens <= length
    length += active.to(tl.int64)
    tl.store(length_ptr + b, length)
    longest = _penalty(tl.maximum(length + 1, max_tokens + 1).to(tl.float64), ALPHA)
    best_rank = tl.max(tl.where(k == 0, beams, -float("inf")), 0) / longest
    active = active & (~cut) & (finished < K) & (best_rank > tl.min(ranks, 0))
    tl.store(active_ptr + b, active)
    return tokens, length
