"""Decayed scores inside a chunk, with a backward pass that costs no more than without a gate.

B batch, H heads, T tokens, D features; token t reads token s <= t.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def decayed_scores(phi_q: Tensor, written: Tensor, c: Tensor) -> Tensor:
    """(B, H, T, T): phi(q_t) . written_s * exp(c_t - c_s) for s <= t, 0 for the future.

    phi_q and written (B, H, T, D); c (B, H, T), the cumulative sum of log keeps.
    """
    scores: Tensor = _DecayedScores.apply(phi_q, written, c)  # type: ignore[no-untyped-call]
    return scores


def decay_matrix(c: Tensor) -> Tensor:
    """(..., T, T): the share of token s that is left at token t, exp(c_t - c_s), 0 for s > t."""
    tokens = c.shape[-1]
    future = torch.ones(tokens, tokens, dtype=torch.bool, device=c.device).triu(1)
    return (c[..., :, None] - c[..., None, :]).masked_fill(future, -torch.inf).exp()


class _DecayedScores(torch.autograd.Function):
    """Scores whose gradient with respect to c needs no T x T matrix of its own.

    The scores depend on c only through exp(c_t) phi(q_t) and exp(-c_s) written_s. So the gradient
    of c follows from the other two: phi(q_t) . dphi(q_t) - written_t . dwritten_t.

    No operation is in place: compiled by PyTorch 2.11, a function that overwrites the tensor it
    returns gets no gradient (pytorch/pytorch#180642).
    """

    @staticmethod
    def forward(ctx: Any, phi_q: Tensor, written: Tensor, c: Tensor) -> Tensor:
        decay = decay_matrix(c)
        ctx.save_for_backward(phi_q, written, decay)
        return torch.matmul(phi_q, written.mT) * decay

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        phi_q, written, decay = ctx.saved_tensors
        gradient = gradients[0] * decay
        d_phi_q = torch.matmul(gradient, written)
        d_written = torch.matmul(gradient.mT, phi_q)
        d_c = (phi_q * d_phi_q).sum(-1) - (written * d_written).sum(-1)
        return d_phi_q, d_written, d_c
