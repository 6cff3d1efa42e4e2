"""Two small operations of every decoding step, each one or two kernels where Triton serves.

R rows, d model size, V words, C candidates.
"""

from __future__ import annotations

from importlib.util import find_spec

import torch
from torch import Tensor, nn

from longways.attention.precision import widen

_TRITON = find_spec("triton") is not None


def add_norm(x: Tensor, update: Tensor, norm: nn.LayerNorm) -> tuple[Tensor, Tensor]:
    """x + update (R, d), and the same normalised."""
    if _serves(x):
        from longways.runtime.triton_step import add_norm_fused

        return add_norm_fused(x, update, norm.weight, norm.bias, norm.eps)
    total = x + update
    return total, norm(total)


def best_tokens(logits: Tensor, candidates: int, forbidden: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities (R, C) of the likeliest tokens and their ids, the best first.

    Forbidden tokens (F,) have minus infinity; the others keep the probability they were given.
    """
    candidates = min(candidates, logits.shape[1])
    if _serves(logits):
        from longways.runtime.triton_step import best_tokens_fused

        return best_tokens_fused(logits, candidates, forbidden)
    scores = widen(logits).log_softmax(-1).index_fill_(1, forbidden, -torch.inf)
    values, ids = scores.topk(candidates)
    return values, ids


def _serves(x: Tensor) -> bool:
    """Whether the kernels take this tensor: they compute in float32."""
    return _TRITON and x.is_cuda and x.dtype != torch.float64
