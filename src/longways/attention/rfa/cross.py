"""Cross RFA: sum a source to S and z once, then read the sums from any number of target tokens.

B batch, H heads, N source tokens, T target tokens, D features, E head size.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from longways.attention.precision import full_precision, kernels_serve
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.state import RFAState
from longways.errors import ShapeError

EXTRA_COLUMNS = 8
"""Columns after the columns of S: z, and seven columns of zeros."""


@dataclass(frozen=True)
class JointSums:
    """S and z in one half-precision matrix, so that one matmul on tensor cores reads both.

    z is the first column after S; columns of zeros follow, for a multiple of eight columns.
    """

    sums: Tensor  # (B, H, D, E + EXTRA_COLUMNS)

    def reorder(self, windows: Tensor) -> JointSums:
        """The sums of these windows, in that order, copied."""
        return JointSums(self.sums[windows])

    def size_bytes(self) -> int:
        """Bytes of this memory, the whole batch together."""
        return self.sums.nbytes


def rfa_remember(written: Tensor, v: Tensor) -> RFAState | JointSums:
    """S and z of a source: weighted features (B, H, N, D), 0 on padding, and v (B, H, N, E)."""
    if v.shape[:-1] != written.shape[:-1]:
        raise ShapeError(
            f"The features have shape {tuple(written.shape)} and v {tuple(v.shape)}, but both must "
            "agree in batch, heads and source tokens."
        )
    return _remember_joint(written, v) if kernels_serve(written) else _remember(written, v)


def rfa_read(phi_q: Tensor, memory: RFAState | JointSums) -> Tensor:
    """Attend to a source with phi_q (B, H, T, D); T counts target tokens, beams, or both."""
    known = memory.sums[..., 0] if isinstance(memory, JointSums) else memory.z
    if phi_q.shape[:2] + phi_q.shape[3:] != known.shape:
        raise ShapeError(
            f"phi_q has shape {tuple(phi_q.shape)}, but the memory's z {tuple(known.shape)}: "
            "they must agree in batch, heads and features."
        )
    if isinstance(memory, JointSums):
        return _read_joint(phi_q, memory.sums)
    return _read(phi_q, memory.S, memory.z)


@full_precision
def _remember(written: Tensor, v: Tensor) -> RFAState:
    return RFAState(torch.matmul(written.mT, v), written.sum(2))


@full_precision
def _read(phi_q: Tensor, S: Tensor, z: Tensor) -> Tensor:
    norm = torch.matmul(phi_q, z[..., None]).clamp_min(MIN_NORM)  # (B, H, T, 1)
    return torch.matmul(phi_q, S) / norm


def _remember_joint(written: Tensor, v: Tensor) -> JointSums:
    one = v.new_ones(()).expand(*v.shape[:-1], 1)
    none = v.new_zeros(()).expand(*v.shape[:-1], EXTRA_COLUMNS - 1)
    values = torch.cat([v, one, none], -1).to(written.dtype)  # (B, H, N, E + EXTRA_COLUMNS)
    return JointSums(torch.matmul(written.mT, values))


def _read_joint(phi_q: Tensor, sums: Tensor) -> Tensor:
    read = torch.matmul(phi_q.to(sums.dtype), sums)  # (B, H, T, E + EXTRA_COLUMNS)
    out, norm = read[..., :-EXTRA_COLUMNS], read[..., -EXTRA_COLUMNS : 1 - EXTRA_COLUMNS]
    return out / norm.clamp_min(MIN_NORM)


def key_weights(log_norms: Tensor, mask: Tensor) -> Tensor:
    """Weight of each source token, from the log norm n of its key: exp(n - max n).

    log_norms is (B, H, N). mask (B, N) is false on padding, which gets weight 0 and is left out of
    the maximum. The maximum has no gradient: it cancels in the quotient.
    """
    n = log_norms.masked_fill(~mask[:, None, :], -torch.inf)
    return (n - n.detach().amax(-1, keepdim=True)).exp()
