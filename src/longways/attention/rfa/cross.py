"""Cross RFA: the source summed up once, then read by any number of target tokens.

B batch, H heads, N source tokens, T target tokens, D features, E head size.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.precision import full_precision
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.state import RFAState
from longways.errors import ShapeError


@full_precision
def rfa_remember(phi_k: Tensor, v: Tensor, write: Tensor) -> RFAState:
    """Sum up a source: phi_k (B, H, N, D), v (B, H, N, E), and write (B, H, N), 0 on padding."""
    if v.shape[:-1] != phi_k.shape[:-1] or write.shape != phi_k.shape[:-1]:
        raise ShapeError(
            f"phi_k has shape {tuple(phi_k.shape)}, v {tuple(v.shape)} and write "
            f"{tuple(write.shape)}, but all must agree in batch, heads and source tokens."
        )
    written = phi_k * write[..., None]  # (B, H, N, D)
    return RFAState(torch.matmul(written.mT, v), written.sum(2))


@full_precision
def rfa_read(phi_q: Tensor, memory: RFAState) -> Tensor:
    """Read the memory with phi_q (B, H, T, D), where T counts target tokens, beams, or both."""
    if phi_q.shape[:2] + phi_q.shape[3:] != memory.z.shape:
        raise ShapeError(
            f"phi_q has shape {tuple(phi_q.shape)}, but the memory's z {tuple(memory.z.shape)}: "
            "they must agree in batch, heads and features."
        )
    norm = torch.matmul(phi_q, memory.z[..., None]).clamp_min(MIN_NORM)  # (B, H, T, 1)
    return torch.matmul(phi_q, memory.S) / norm


def key_weights(log_norms: Tensor, mask: Tensor) -> Tensor:
    """How much each source token counts, from the log norm n of its key: exp(n - max n).

    log_norms (B, H, N) and mask (B, N), false on padding, which gets weight 0 and no say in the
    maximum. The maximum passes no gradient: in the quotient it cancels.
    """
    n = log_norms.masked_fill(~mask[:, None, :], -torch.inf)
    return (n - n.detach().amax(-1, keepdim=True)).exp()
