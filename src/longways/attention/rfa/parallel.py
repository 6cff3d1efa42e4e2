"""Causal RFA over a whole window at once, as a T x T matrix: the reference for every other form.

B batch, H heads, T tokens, D features, E head size; token t reads token s <= t.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.precision import full_precision
from longways.attention.rfa.constants import MIN_KEEP, MIN_NORM
from longways.attention.rfa.shapes import check_window


@full_precision
def rfa_parallel(phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor) -> Tensor:
    """Attend from every token to itself and all tokens before it.

    The weight of token s for token t is `phi(q_t) . phi(k_s) * write_s * keep_{s+1} ... keep_t`.
    Time and memory grow with T squared. This form is the simplest and is never optimised.
    """
    check_window(phi_q, phi_k, v, keep, write)
    weight = causal_weights(phi_q, phi_k, keep, write)
    out = torch.einsum("bhts,bhse->bhte", weight, v)
    norm = weight.sum(-1).clamp_min(MIN_NORM)
    return out / norm[..., None]


@full_precision
def causal_weights(phi_q: Tensor, phi_k: Tensor, keep: Tensor, write: Tensor) -> Tensor:
    """The weight (B, H, T, T) of every token s for token t, not divided by the norm."""
    c = keep.clamp_min(MIN_KEEP).log().cumsum(-1)  # (B, H, T)
    past = torch.ones(c.shape[-1], c.shape[-1], dtype=torch.bool, device=c.device).tril()
    decay = (c[..., :, None] - c[..., None, :]).masked_fill(~past, -torch.inf).exp()  # (B, H, T, T)
    return torch.einsum("bhtd,bhsd->bhts", phi_q, write[..., None] * phi_k) * decay
