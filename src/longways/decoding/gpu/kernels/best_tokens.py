"""The product of few rows with all words as a Triton kernel that keeps only the best of them.

R rows, d model size, V words, C candidates, P parts of all words.

Nobody needs the logits themselves: a program that has some columns of them looks for the best and
sums up the exponentials while they are in its registers.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.dependent_launch import call_next, early, fetch, lines, wait
from longways.attention.rfa.shapes import padded
from longways.decoding.gpu.kernels.next_token import Parts, new_parts, places, write_best

ROWS = 128
"""Rows of one program at most, so that words are read once for all of them."""

WORDS = 64
"""Words of one program: its part."""

DEPTH = 64
"""Inputs that are multiplied in one turn."""

WARPS, STAGES = 4, 3
"""These numbers were the fastest of those tried on an H200, in the chain of a whole step."""


MOST_JOINED = 32_768
"""Candidates of a slot's parts that one program can hold: its beams make them many."""


def can_be_joined(words: int, count: int, beams: int) -> bool:
    """Whether the parts of so many words are few enough for the kernel that comes next."""
    parts = -(-words // WORDS)
    return triton.next_power_of_2(beams) * padded(parts * count) <= MOST_JOINED


def best_words(x: Tensor, weight: Tensor, count: int, forbidden: Tensor) -> Parts:
    """Of the logits of x (R, d), which are its product with the words (V, d)."""
    rows, dim = x.shape
    parts, taken = -(-len(weight) // WORDS), min(ROWS, padded(rows))
    found = new_parts(x, rows, parts, count)
    best_words_kernel[(triton.cdiv(rows, taken), parts)](
        x.contiguous(), weight, forbidden, *found, rows, len(weight), parts,
        FORBIDDEN=len(forbidden), C=count, D=dim, DEPTH=min(DEPTH, padded(dim)), ROWS=taken,
        WORDS=WORDS, SHIFT=places(WORDS), **lines(weight), num_warps=WARPS, num_stages=STAGES,
        **early(x),
    )  # fmt: skip
    return found


@triton.jit(do_not_specialize=["R", "V"])
def best_words_kernel(
    x_ptr, weight_ptr, forbidden_ptr, values_ptr, ids_ptr, sums_ptr, R, V, parts,
    FORBIDDEN: tl.constexpr, C: tl.constexpr, D: tl.constexpr, DEPTH: tl.constexpr,
    ROWS: tl.constexpr, WORDS: tl.constexpr, SHIFT: tl.constexpr, LINE: tl.constexpr,
    LINES: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """Some rows and one part of the words. Logits are rounded as torch would round them."""
    call_next(EARLY)
    part = tl.program_id(1)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = part * WORDS + tl.arange(0, WORDS)
    e = tl.arange(0, DEPTH)
    x_at = x_ptr + r[:, None] * D + e[None, :]
    weight_at = weight_ptr + n[:, None] * D + e[None, :]
    fetch(weight_ptr, n, V, D, LINE, LINES, EARLY)
    wait(EARLY)
    logits = tl.zeros((ROWS, WORDS), tl.float32)
    for start in range(0, D, DEPTH):
        real = (start + e < D)[None, :]
        x = tl.load(x_at + start, mask=(r < R)[:, None] & real, other=0.0)
        weights = tl.load(weight_at + start, mask=(n < V)[:, None] & real, other=0.0)
        logits = tl.dot(x, tl.trans(weights), logits, input_precision="ieee")
    logits = tl.where((n < V)[None, :], logits, -float("inf")).to(x_ptr.dtype.element_ty)
    place = r.to(tl.int64) * parts + part
    write_best(
        logits, part * WORDS, place, r < R, forbidden_ptr, values_ptr, ids_ptr, sums_ptr,
        FORBIDDEN, C, WORDS, SHIFT,
    )  # fmt: skip
