"""The small operations of a decoding step as Triton kernels.

R rows, d model size, V words, C candidates, P parts that a row of logits is cut into.

This module needs Triton; nothing else in the package imports it unasked.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.rfa.shapes import padded
from longways.runtime.triton_step_kernels import add_norm_kernel, best_of_parts, best_of_row

PART = 2048
"""Words that one program looks at: enough programs for few rows, and few parts to join."""


def add_norm_fused(
    x: Tensor, update: Tensor, weight: Tensor, bias: Tensor, epsilon: float
) -> tuple[Tensor, Tensor]:
    """x + update (R, d), and the same normalised, in the precision of x."""
    rows, dim = x.shape
    x, update = x.contiguous(), update.contiguous()
    total, normed = torch.empty_like(x), torch.empty_like(x)
    add_norm_kernel[(rows,)](
        x, update, weight, bias, total, normed, dim, epsilon,
        BLOCK=padded(dim), num_warps=4,
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
        FORBIDDEN=len(forbidden), C=candidates, BLOCK=PART, num_warps=4,
    )  # fmt: skip
    best = values.new_empty(rows, candidates)
    chosen = torch.empty(best.shape, dtype=torch.long, device=logits.device)
    best_of_row[(rows,)](
        values, ids, sums, best, chosen, parts,
        C=candidates, PARTS=padded(parts), BLOCK=padded(parts * candidates), num_warps=1,
    )  # fmt: skip
    return best, chosen
