"""The small operations of a decoding step as Triton kernels.

R rows, d model size, V words, C candidates, P parts that a row of logits is cut into.

This module needs Triton; nothing else in the package imports it unasked.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.rfa.shapes import padded
from longways.attention.triton_early import early
from longways.model.embedding import Embedding
from longways.runtime.triton_step_kernels import (
    add_norm_kernel,
    append_kernel,
    best_of_parts,
    best_of_row,
    read_tokens_kernel,
)
from longways.text.special import SEP

PART = 2048
"""Words that one program looks at: enough programs for few rows, and few parts to join."""

PART_WARPS = 4


def read_tokens_fused(
    embedding: Embedding, tokens: Tensor, offsets: Tensor, lengths: Tensor, last: int
) -> tuple[Tensor, Tensor, Tensor]:
    """What `step_kernels.read_tokens` says, all by one kernel."""
    rows, weight = tokens.numel(), embedding.tokens.weight
    x = weight.new_empty(rows, embedding.dim)
    positions = torch.empty(rows, dtype=torch.long, device=x.device)
    separators = torch.empty(rows, dtype=torch.bool, device=x.device)
    read_tokens_kernel[(rows,)](
        tokens.contiguous(), offsets, lengths, weight, embedding.table, x, positions, separators,
        tokens.shape[1], last, embedding.dim, embedding.scale,
        SEP=SEP, BLOCK=padded(embedding.dim), num_warps=4, **early(x),
    )  # fmt: skip
    return x, positions, separators


def append_fused(keys: Tensor, values: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> None:
    """Write k and v (R, H, E) at the positions (R,) of a cache (R, H, N, E)."""
    rows, heads, room, head_dim = keys.shape
    append_kernel[(rows,)](
        keys, values, k, v, positions, k.stride(0), v.stride(0), room,
        H=heads, E=head_dim, BLOCK=padded(heads * head_dim), num_warps=4, **early(k),
    )  # fmt: skip


def add_norm_fused(
    x: Tensor, update: Tensor | None, weight: Tensor, bias: Tensor, epsilon: float
) -> tuple[Tensor, Tensor]:
    """x + update (R, d), and the same normalised, in the precision of x."""
    rows, dim = x.shape
    x, normed = x.contiguous(), torch.empty_like(x)
    total = x if update is None else torch.empty_like(x)
    add_norm_kernel[(rows,)](
        x, x if update is None else update.contiguous(), weight, bias, total, normed, dim, epsilon,
        UPDATED=update is not None, BLOCK=padded(dim), num_warps=4, **early(x),
    )  # fmt: skip
    return total, normed


def best_tokens_fused(logits: Tensor, candidates: int, forbidden: Tensor) -> tuple[Tensor, Tensor]:
    """The likeliest tokens of each row (R, C), float32, and their ids: logits are read once."""
    logits = logits.contiguous()
    rows, words = logits.shape
    parts = -(-words // PART)
    values = logits.new_empty(rows, parts, candidates, dtype=torch.float32)
    ids = torch.empty(values.shape, dtype=torch.int32, device=logits.device)
    sums = values.new_empty(rows, parts, 2)
    best_of_parts[(rows, parts)](
        logits, forbidden, values, ids, sums, words, parts,
        FORBIDDEN=len(forbidden), C=candidates, BLOCK=PART, num_warps=PART_WARPS,
        **early(logits),
    )  # fmt: skip
    best = values.new_empty(rows, candidates)
    chosen = torch.empty(best.shape, dtype=torch.long, device=logits.device)
    best_of_row[(rows,)](
        values, ids, sums, best, chosen, parts,
        C=candidates, PARTS=padded(parts), BLOCK=padded(parts * candidates), num_warps=1,
        **early(logits),
    )  # fmt: skip
    return best, chosen
