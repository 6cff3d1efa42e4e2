"""The end of a decoding step as Triton kernels: top-k of the logits, search, embedding.

B slots, K beams, R = B K rows, V words of the vocabulary, C candidates of a row, P chunks of the
vocabulary.

This module needs Triton, so other modules import it only where Triton serves.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from longways.attention.kernels.dependent_launch import launch_next, pdl_options, wait
from longways.attention.rfa.shapes import padded
from longways.decoding.gpu.device_beam_search import DeviceSearch
from longways.decoding.gpu.kernels.beam_step import search_sizes, search_state, search_tile
from longways.decoding.gpu.kernels.sort_keys import remove_key, sort_key, value_and_index
from longways.text.tokenizers.special_tokens import SEP

if TYPE_CHECKING:
    from longways.decoding.gpu.next_token import TokenEmbedding

LOG2_E = tl.constexpr(1.4426950408889634)

CHUNK_WORDS = 2048
"""Words of the vocabulary in a chunk: small enough for many programs, large enough to merge few."""

SINGLE_WARP_MIN_ROWS = 256
"""Rows from which a chunk is one warp, which has no other warp to wait for."""

CHUNK_WARPS = 4
"""Warps of a chunk where there are fewer rows."""

WARP_CANDIDATES = 1024
"""Candidates, of all chunks and beams of a slot, that one warp merges."""


class ChunkCandidates(NamedTuple):
    """The best logits in every chunk of the vocabulary, and the terms of the softmax's sum."""

    values: Tensor  # (R, P, C)  logits, float32
    ids: Tensor  # (R, P, C)
    sums: Tensor  # (R, P, 2)  the greatest logit m, and the sum of exp(logit - m)


def empty_candidates(like: Tensor, rows: int, chunks: int, count: int) -> ChunkCandidates:
    """Uninitialised tensors for the output of `best_of_chunks`."""
    values = like.new_empty(rows, chunks, count, dtype=torch.float32)
    ids = torch.empty(values.shape, dtype=torch.int32, device=like.device)
    return ChunkCandidates(values, ids, values.new_empty(rows, chunks, 2))


def best_of_chunks(logits: Tensor, count: int, forbidden: Tensor) -> ChunkCandidates:
    """The `count` best words in every chunk of logits (R, V), in one pass over the logits."""
    logits = logits.contiguous()
    rows, words = logits.shape
    chunks = -(-words // CHUNK_WORDS)
    found = empty_candidates(logits, rows, chunks, count)
    best_of_chunks_kernel[(rows, chunks)](
        logits, forbidden, *found, words, chunks,
        FORBIDDEN=len(forbidden), C=count, BLOCK=CHUNK_WORDS, SHIFT=index_bits(CHUNK_WORDS),
        num_warps=1 if rows >= SINGLE_WARP_MIN_ROWS else CHUNK_WARPS, **pdl_options(logits),
    )  # fmt: skip
    return found


def next_tokens_fused(
    found: ChunkCandidates, search: DeviceSearch, inputs: TokenEmbedding
) -> tuple[Tensor, Tensor, Tensor]:
    """`DeviceSearch.step` with the best candidates of all chunks, then `embed_tokens`."""
    out, (rows, chunks, candidates) = _empty_outputs(search, inputs), found.values.shape
    scores, words = (one.new_empty(rows, candidates) for one in (found.values, found.ids))
    sizes = search_sizes(search, candidates)
    block = padded(chunks * candidates)
    next_tokens_kernel[(len(search.tokens),)](
        *found, scores, words, *search_state(search), *_embedding_arguments(inputs), *out, chunks,
        **sizes, D=inputs.embedding.dim, PADDED_D=padded(inputs.embedding.dim),
        PADDED_P=padded(chunks), BLOCK=block, SHIFT=index_bits(block),
        num_warps=_warps(sizes["PADDED_K"] * block), **pdl_options(out[0]),
    )  # fmt: skip
    return out


def embed_tokens_fused(
    search: DeviceSearch, inputs: TokenEmbedding
) -> tuple[Tensor, Tensor, Tensor]:
    """`gpu.next_token.embed_tokens` as one kernel."""
    out = _empty_outputs(search, inputs)
    embed_tokens_kernel[(len(out[0]),)](
        search.tokens, search.length, *_embedding_arguments(inputs), *out, search.config.beams,
        SEP=SEP, D=inputs.embedding.dim, PADDED_D=padded(inputs.embedding.dim),
        num_warps=4, **pdl_options(out[0]),
    )  # fmt: skip
    return out


def _empty_outputs(search: DeviceSearch, inputs: TokenEmbedding) -> tuple[Tensor, Tensor, Tensor]:
    """Uninitialised tensors for embedded tokens, positions and separators."""
    rows = search.tokens.numel()
    x = inputs.embedding.tokens.weight.new_empty(rows, inputs.embedding.dim)
    positions = torch.empty(rows, dtype=torch.long, device=x.device)
    return x, positions, torch.empty_like(positions, dtype=torch.bool)


def _embedding_arguments(inputs: TokenEmbedding) -> tuple[Tensor, Tensor, Tensor, float, int]:
    embedding = inputs.embedding
    weight, table = embedding.tokens.weight, embedding.table
    return inputs.offsets, weight, table, embedding.scale, inputs.last_position


def index_bits(count: int) -> int:
    """Bits of an index below `count`."""
    return (count - 1).bit_length()


def _warps(candidates: int) -> int:
    return max(1, min(8, candidates // WARP_CANDIDATES))


@triton.jit
def best_of_chunks_kernel(
    logits_ptr, forbidden_ptr, values_ptr, ids_ptr, sums_ptr, words, chunks,
    FORBIDDEN: tl.constexpr, C: tl.constexpr, BLOCK: tl.constexpr, SHIFT: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """One chunk of one row: the greatest logit, the sum of exponentials, and the best words."""
    launch_next(PDL)
    row, chunk = tl.program_id(0).to(tl.int64), tl.program_id(1)
    start, column = chunk * BLOCK, tl.arange(0, BLOCK)
    place = row * chunks + chunk
    wait(PDL)
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
    keys = sort_key(wide.to(x.dtype), column, SHIFT)
    for c in tl.static_range(C):
        best = tl.max(keys, 0)
        value, index = value_and_index(best, x.dtype, SHIFT)
        tl.store(values_ptr + place * C + c, value)
        tl.store(ids_ptr + place * C + c, start + index)
        keys = remove_key(keys, best)


@triton.jit
def _merge_chunks(
    row, is_row, values_ptr, ids_ptr, sums_ptr, score_ptr, word_ptr, chunks, dtype: tl.constexpr,
    C: tl.constexpr, PADDED_P: tl.constexpr, BLOCK: tl.constexpr, SHIFT: tl.constexpr,
):  # fmt: skip
    """Log-probabilities and ids of the best words of some rows, from the best of their chunks.

    `dtype` is the precision of the logits: the values are exact in it.
    """
    p = tl.arange(0, PADDED_P)[None, :]
    is_chunk = is_row[:, None] & (p < chunks)
    sums = sums_ptr + 2 * (row[:, None] * chunks + p)
    greatest = tl.load(sums, mask=is_chunk, other=-float("inf"))
    total = tl.load(sums + 1, mask=is_chunk, other=0.0)
    row_max = tl.where(is_row, tl.max(greatest, 1), 0.0)
    total = tl.sum(total * tl.exp(greatest - row_max[:, None]), 1)
    log_sum = row_max + tl.log(tl.where(is_row, total, 1.0))
    at = tl.arange(0, BLOCK)[None, :]
    first = row * chunks * C
    mask = is_row[:, None] & (at < chunks * C)
    values = tl.load(values_ptr + first[:, None] + at, mask=mask, other=-float("inf"))
    keys = sort_key(values.to(dtype), at, SHIFT)
    for i in tl.static_range(C):
        best = tl.max(keys, 1)
        value, index = value_and_index(best, dtype, SHIFT)
        tl.store(score_ptr + row * C + i, value - log_sum, mask=is_row)
        word = tl.load(ids_ptr + first + index, mask=is_row)
        tl.store(word_ptr + row * C + i, word, mask=is_row)
        keys = remove_key(keys, best[:, None])


@triton.jit
def _embed(
    row, is_row, token, position, weight_ptr, table_ptr, scale, x_ptr, position_ptr, separator_ptr,
    SEP: tl.constexpr, D: tl.constexpr, PADDED_D: tl.constexpr,
):  # fmt: skip
    """Embed the tokens of rows at a position; rounds before the position is added, as torch."""
    e = tl.arange(0, PADDED_D)[None, :]
    mask = is_row[:, None] & (e < D)
    x = scale * tl.load(weight_ptr + token[:, None] * D + e, mask=mask, other=0.0).to(tl.float32)
    x = x.to(x_ptr.dtype.element_ty).to(tl.float32)
    x += tl.load(table_ptr + position * D + e, mask=e < D, other=0.0).to(tl.float32)
    tl.store(x_ptr + row[:, None] * D + e, x.to(x_ptr.dtype.element_ty), mask=mask)
    tl.store(position_ptr + row, position, mask=is_row)
    tl.store(separator_ptr + row, token == SEP, mask=is_row)


@triton.jit
def embed_tokens_kernel(
    token_ptr, length_ptr, offset_ptr, weight_ptr, table_ptr, scale, last_position,
    x_ptr, position_ptr, separator_ptr, K,
    SEP: tl.constexpr, D: tl.constexpr, PADDED_D: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Embed the token of one row."""
    launch_next(PDL)
    row = tl.program_id(0).to(tl.int64) + tl.zeros((1,), tl.int64)
    is_row = tl.full((1,), 1, tl.int1)
    slot = tl.program_id(0) // K
    wait(PDL)
    position = tl.load(offset_ptr + slot) + tl.load(length_ptr + slot)
    position = tl.minimum(position, last_position)
    _embed(
        row, is_row, tl.load(token_ptr + row), position, weight_ptr, table_ptr, scale,
        x_ptr, position_ptr, separator_ptr, SEP, D, PADDED_D,
    )  # fmt: skip


@triton.jit
def next_tokens_kernel(
    values_ptr, ids_ptr, sums_ptr, score_ptr, word_ptr,
    token_ptr, parent_ptr, beam_ptr, separator_ptr, active_ptr, length_ptr,
    finished_ptr, rank_ptr, min_ptr, max_ptr, required_ptr, integer_ptr, float_ptr, T, PLANE,
    offset_ptr, weight_ptr, table_ptr, scale, last_position, x_ptr, position_ptr, ends_ptr, chunks,
    K: tl.constexpr, C: tl.constexpr, NBEST: tl.constexpr, ALPHA: tl.constexpr,
    EOS: tl.constexpr, SEP: tl.constexpr,
    PADDED_K: tl.constexpr, PADDED_C: tl.constexpr, PADDED_N: tl.constexpr,
    D: tl.constexpr, PADDED_D: tl.constexpr, PADDED_P: tl.constexpr, BLOCK: tl.constexpr,
    SHIFT: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """One slot: merge the candidates of all chunks, take a search step, embed the next tokens.

    Candidates are stored and loaded again: searched in their original layout, Triton 3.6 gives
    wrong results.
    """
    launch_next(PDL)
    b = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, PADDED_K)
    row, is_row = b * K + k, k < K
    wait(PDL)
    _merge_chunks(
        row, is_row, values_ptr, ids_ptr, sums_ptr, score_ptr, word_ptr, chunks,
        x_ptr.dtype.element_ty, C, PADDED_P, BLOCK, SHIFT,
    )  # fmt: skip
    tl.debug_barrier()  # all candidates are stored before one is loaded
    tokens, length = search_tile(
        b, score_ptr, word_ptr, token_ptr, parent_ptr, beam_ptr, separator_ptr, active_ptr,
        length_ptr, finished_ptr, rank_ptr, min_ptr, max_ptr, required_ptr, integer_ptr, float_ptr,
        T, PLANE, K, C, NBEST, ALPHA, EOS, SEP, PADDED_K, PADDED_C, PADDED_N,
    )  # fmt: skip
    position = tl.minimum(tl.load(offset_ptr + b) + length, last_position)
    _embed(
        row, is_row, tokens, position, weight_ptr, table_ptr, scale,
        x_ptr, position_ptr, ends_ptr, SEP, D, PADDED_D,
    )  # fmt: skip
