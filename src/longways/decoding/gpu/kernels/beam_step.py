"""One step of the device beam search in one slot, in Triton: a part of larger kernels.

B slots, K beams, C candidates of a beam, T steps of the log.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from longways.text.tokenizers.special_tokens import EOS, SEP


def search_state(search: object) -> tuple[Any, ...]:
    """All that `search_tile` reads and writes, as it takes it."""
    return (
        search.tokens, search.parents, search.scores, search.separators,
        search.lives, search.length, search.ended, search.ranks,
        search.least, search.most, search.wanted, search.integers, search.floats,
        search.integers.shape[2], search.integers.stride(0),
    )  # fmt: skip


def search_sizes(search: object, candidates: int) -> dict[str, Any]:
    """What `search_tile` is compiled for."""
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
    """length^alpha."""
    if ALPHA == 0.0:
        return length * 0.0 + 1.0
    elif ALPHA == 1.0:  # noqa: RET505 - Triton decides at compile time which branch there is
        return length
    else:
        return tl.exp(ALPHA * tl.log(length))


@triton.jit
def _allowed(stops, ids, missing, sliding, early, late, SEP: tl.constexpr):
    """Which candidates (K, C) may be taken."""
    again = stops & (tl.cumsum(stops.to(tl.int32), 1) > 1)  # the same words, ended otherwise
    wrong = (stops & (missing > 0)) | ((~stops) & (ids == SEP) & (missing <= 0))
    wrong = (again & sliding) | (wrong & (~sliding))
    return ~((stops & early) | ((~stops) & late) | wrong)


@triton.jit
def search_tile(
    b, score_ptr, id_ptr, token_ptr, parent_ptr, beam_ptr, separator_ptr, life_ptr, length_ptr,
    ended_ptr, rank_ptr, least_ptr, most_ptr, wanted_ptr, integer_ptr, float_ptr, T, PLANE,
    K: tl.constexpr, C: tl.constexpr, NBEST: tl.constexpr, ALPHA: tl.constexpr,
    EOS: tl.constexpr, SEP: tl.constexpr,
    PADDED_K: tl.constexpr, PADDED_C: tl.constexpr, PADDED_N: tl.constexpr,
):  # fmt: skip
    """Choose, write down what ended, let the chosen be the beams, and see whether it is over.

    It is the search of slot b, from scores and ids (B, K, C) of candidates. What comes back are the
    tokens chosen (K,), padded, and how many there are now.
    """
    k, c, n = tl.arange(0, PADDED_K), tl.arange(0, PADDED_C), tl.arange(0, PADDED_N)
    length, most, wanted = tl.load(length_ptr + b), tl.load(most_ptr + b), tl.load(wanted_ptr + b)
    lives = tl.load(life_ptr + b) != 0
    least = tl.load(least_ptr + b)
    real = (k < K)[:, None] & (c < C)[None, :]
    at = (b * K + k)[:, None] * C + c[None, :]
    ids = tl.load(id_ptr + at, mask=real, other=0).to(tl.int64)
    separators = tl.load(separator_ptr + b * K + k, mask=k < K, other=0)
    scores = tl.load(beam_ptr + b * K + k, mask=k < K, other=-float("inf"))
    total = tl.load(score_ptr + at, mask=real, other=-float("inf")).to(tl.float64)
    total += scores[:, None]
    sliding = wanted < 0
    stops = real & ((ids == EOS) | (sliding & (ids == SEP)))
    missing = (wanted - separators)[:, None]
    allowed = _allowed(stops, ids, missing, sliding, least > length, most <= length, SEP)
    total = tl.where(real & allowed, total, -float("inf"))
    flat = tl.reshape(total, (PADDED_K * PADDED_C,))
    flat_ids = tl.reshape(ids, (PADDED_K * PADDED_C,))
    flat_stops = tl.reshape(stops.to(tl.int32), (PADDED_K * PADDED_C,))
    place = tl.arange(0, PADDED_K * PADDED_C)
    tokens, parents = tl.full((PADDED_K,), EOS, tl.int64), tl.zeros((PADDED_K,), tl.int64)
    beams = tl.full((PADDED_K,), -float("inf"), tl.float64)
    over, by, stop = beams, parents, tokens
    ranks = tl.load(rank_ptr + b * NBEST + n, mask=n < NBEST, other=float("inf"))
    penalty = _penalty((length + 1).to(tl.float64), ALPHA)
    alive, ended = 0, tl.load(ended_ptr + b)
    for i in tl.static_range(2 * K):
        best, where = tl.max(flat, 0, return_indices=True)
        here = place == where
        token = tl.sum(tl.where(here, flat_ids, 0), 0)
        stopped = tl.sum(tl.where(here, flat_stops, 0), 0) != 0
        beam = (where // PADDED_C).to(tl.int64)
        flat = tl.where(here, -float("inf"), flat)
        if i < K:
            score = tl.where(stopped & lives, best, -float("inf"))
            over = tl.where(k == i, score, over)
            by, stop = tl.where(k == i, beam, by), tl.where(k == i, token, stop)
            ended += (score > -float("inf")).to(tl.int64)
            better = tl.maximum(score / penalty, tl.min(ranks, 0))  # takes the place of the worst
            ranks = tl.where(n == tl.argmin(ranks, 0), better, ranks)
        chosen = (k == alive) & (~stopped)
        tokens, parents = tl.where(chosen, token, tokens), tl.where(chosen, beam, parents)
        beams = tl.where(chosen, best, beams)
        alive += (~stopped).to(tl.int32)
    separators = tl.load(separator_ptr + b * K + parents, mask=k < K, other=0)
    separators += (tokens == SEP).to(tl.int64)
    tl.debug_barrier()  # nothing is overwritten before all of it was read
    mine = b * K + k
    tl.store(token_ptr + mine, tokens, mask=k < K)
    tl.store(parent_ptr + mine, b * K + parents, mask=k < K)
    tl.store(beam_ptr + mine, beams, mask=k < K)
    tl.store(separator_ptr + mine, separators, mask=k < K)
    entry = (b * T + length) * K + k
    second = entry + PLANE  # entries are 64 bits wide, so these cannot overflow
    third = second + PLANE
    tl.store(integer_ptr + entry, tokens.to(tl.int32), mask=k < K)
    tl.store(integer_ptr + second, parents.to(tl.int32), mask=k < K)
    tl.store(integer_ptr + third, by.to(tl.int32), mask=k < K)
    tl.store(integer_ptr + third + PLANE, stop.to(tl.int32), mask=k < K)
    tl.store(float_ptr + entry, beams, mask=k < K)
    tl.store(float_ptr + second, over, mask=k < K)
    tl.store(rank_ptr + b * NBEST + n, ranks, mask=n < NBEST)
    tl.store(ended_ptr + b, ended)
    cut = most <= length
    length += lives.to(tl.int64)
    tl.store(length_ptr + b, length)
    greatest = _penalty(tl.maximum(length + 1, most + 1).to(tl.float64), ALPHA)
    hope = tl.max(tl.where(k == 0, beams, -float("inf")), 0) / greatest
    lives = lives & (~cut) & (ended < K) & (hope > tl.min(ranks, 0))
    tl.store(life_ptr + b, lives)
    return tokens, length
