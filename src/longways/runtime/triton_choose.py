"""The end of a decoding step as Triton kernels: the best words, the search, what is read next.

B slots, K beams, R = B K rows, V words, C candidates of a row, P parts that a row is cut into.

This module needs Triton; nothing else in the package imports it unasked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from longways.attention.rfa.shapes import padded
from longways.attention.triton_early import early
from longways.runtime.triton_choose_kernels import (
    best_of_parts,
    choose_kernel,
    read_tokens_kernel,
)
from longways.search.device import DeviceSearch
from longways.search.triton_search import search_sizes, search_state
from longways.text.special import SEP

if TYPE_CHECKING:
    from longways.runtime.choosing import Reading

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
