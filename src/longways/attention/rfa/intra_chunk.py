"""Faded scores inside a chunk, with a backward pass that costs no more than without a gate.

B batch, H heads, T tokens, D features; token t reads token s <= t.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def faded_scores(phi_q: Tensor, written: Tensor, c: Tensor) -> Tensor:
    """(B, H, T, T): phi(q_t) . written_s * exp(c_t - c_s) for s <= t, 0 for the future.

    phi_q and written (B, H, T, D); c (B, H, T), the cumulative sum of log keeps.
    """
    scores: Tensor = _FadedScores.apply(phi_q, written, c)  # type: ignore[no-untyped-call]
    return scores


def fading(c: Tensor) -> Tensor:
    """How much of token s survives until token t: exp(c_t - c_s), 0 for the future."""
    tokens = c.shape[-1]
    future = torch.ones(tokens, tokens, dtype=torch.bool, device=c.device).triu(1)
    return (c[..., :, None] - c[..., None, :]).masked_fill(future, -torch.inf).exp()


class _FadedScores(torch.autograd.Function):
    """The gradient of c needs no T x T work of its own.

    The scores A depend on c only through exp(c_t) phi(q_t) and exp(-c_s) written_s. So the gradient
    of c is what those two already receive: phi(q_t) . dphi(q_t) - written_t . dwritten_t.

    Nothing is computed in place: compiled by PyTorch 2.11, a function that overwrites what it then
    returns gets no gradient at all (pytorch/pytorch#180642).
    """

    @staticmethod
    def forward(ctx: Any, phi_q: Tensor, written: Tensor, c: Tensor) -> Tensor:
        fade = fading(c)
        ctx.save_for_backward(phi_q, written, fade)
        return torch.matmul(phi_q, written.mT) * fade

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        phi_q, written, fade = ctx.saved_tensors
        gradient = gradients[0] * fade
        d_phi_q = torch.matmul(gradient, written)
        d_written = torch.matmul(gradient.mT, phi_q)
        d_c = (phi_q * d_phi_q).sum(-1) - (written * d_written).sum(-1)
        return d_phi_q, d_written, d_c
