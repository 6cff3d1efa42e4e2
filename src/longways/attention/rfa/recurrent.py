"""Causal RFA one token at a time: the paper's recurrence, used in decoding.

B batch, H heads, D features, E head size.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.precision import full_precision
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.shapes import check_past, check_token, check_window
from longways.attention.state import RFAState


@full_precision
def rfa_step(
    phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor, past: RFAState
) -> tuple[Tensor, RFAState]:
    """Attend from one new token: forget, remember, read. Must agree with `rfa_parallel`.

    `keep` is the share of the past that survives into this token: 1 inside a sentence, the
    sentential gate right after a separator. `write` is the weight of the token itself.
    """
    check_token(phi_q, phi_k, v, keep, write)
    check_past(phi_k, v, past)
    written = write[..., None] * phi_k  # (B, H, D)
    S = keep[..., None, None] * past.S + written[..., :, None] * v[..., None, :]  # (B, H, D, E)
    z = keep[..., None] * past.z + written
    out = torch.einsum("bhd,bhde->bhe", phi_q, S)
    norm = torch.einsum("bhd,bhd->bh", phi_q, z).clamp_min(MIN_NORM)
    return out / norm[..., None], RFAState(S, z)


def rfa_recurrent(
    phi_q: Tensor,
    phi_k: Tensor,
    v: Tensor,
    keep: Tensor,
    write: Tensor,
    past: RFAState | None = None,
) -> tuple[Tensor, RFAState]:
    """Attend over a window (with a T axis, as in `rfa_chunked`) by one `rfa_step` per token."""
    check_window(phi_q, phi_k, v, keep, write)
    batch, heads, _, features = phi_k.shape
    state = past or RFAState.empty(batch, heads, features, v.shape[-1], like=v)
    outs = []
    for t in range(v.shape[2]):
        q, k = phi_q[:, :, t], phi_k[:, :, t]
        out, state = rfa_step(q, k, v[:, :, t], keep[..., t], write[..., t], state)
        outs.append(out)
    return (torch.stack(outs, 2) if outs else torch.zeros_like(v)), state
