"""Cross RFA: the source summed up once, then read by any number of target tokens.

B batch, H heads, N source tokens, T target tokens, D features, E head size.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.precision import full_precision, kernels_serve
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.state import RFAState
from longways.errors import ShapeError


def rfa_remember(written: Tensor, v: Tensor) -> RFAState:
    """Sum up a source from its weighted features (B, H, N, D), 0 on padding, and v (B, H, N, E)."""
    if v.shape[:-1] != written.shape[:-1]:
        raise ShapeError(
            f"The features have shape {tuple(written.shape)} and v {tuple(v.shape)}, but both must "
            "agree in batch, heads and source tokens."
        )
    return (_remember if kernels_serve(written) else _remember_wide)(written, v)


def rfa_read(phi_q: Tensor, memory: RFAState) -> Tensor:
    """Read the memory with phi_q (B, H, T, D), where T counts target tokens, beams, or both."""
    if phi_q.shape[:2] + phi_q.shape[3:] != memory.z.shape:
        raise ShapeError(
            f"phi_q has shape {tuple(phi_q.shape)}, but the memory's z {tuple(memory.z.shape)}: "
            "they must agree in batch, heads and features."
        )
    return (_read if kernels_serve(phi_q) else _read_wide)(phi_q, memory.S, memory.z)


def _remember(written: Tensor, v: Tensor) -> RFAState:
    wide = torch.promote_types(written.dtype, torch.float32)
    return RFAState(torch.matmul(written.mT, v), written.sum(2, dtype=wide))


def _read(phi_q: Tensor, S: Tensor, z: Tensor) -> Tensor:
    norm = torch.matmul(phi_q, z.to(phi_q.dtype)[..., None])  # (B, H, T, 1)
    return torch.matmul(phi_q, S.to(phi_q.dtype)) / norm.clamp_min(MIN_NORM)


_remember_wide, _read_wide = full_precision(_remember), full_precision(_read)


def key_weights(log_norms: Tensor, mask: Tensor) -> Tensor:
    """How much each source token counts, from the log norm n of its key: exp(n - max n).

    log_norms (B, H, N) and mask (B, N), false on padding, which gets weight 0 and no say in the
    maximum. The maximum passes no gradient: in the quotient it cancels.
    """
    n = log_norms.masked_fill(~mask[:, None, :], -torch.inf)
    return (n - n.detach().amax(-1, keepdim=True)).exp()
