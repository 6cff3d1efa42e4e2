"""Causal RFA in linear time: T x T inside short chunks, a carried state between them.

B batch, H heads, T tokens, D features, E head size; inside a chunk token t reads token s <= t.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.precision import full_precision
from longways.attention.rfa.constants import MIN_KEEP, MIN_NORM
from longways.attention.rfa.scores import faded_scores
from longways.attention.rfa.shapes import check_past, check_window
from longways.attention.state import RFAState
from longways.errors import ConfigError

CHUNK = 64
"""Tokens read at once: inside a chunk the work is quadratic, between chunks linear."""


@full_precision
def rfa_chunked(
    phi_q: Tensor,
    phi_k: Tensor,
    v: Tensor,
    keep: Tensor,
    write: Tensor,
    past: RFAState | None = None,
    chunk: int = CHUNK,
) -> tuple[Tensor, RFAState]:
    """Attend from every token to all before it, `past` included, and return the new past.

    The same numbers as `rfa_parallel` in time linear in T, with working memory for one chunk.
    A token with keep 1 and write 0 leaves no trace: padding, wherever it stands, is marked so, and
    every row's state is then the state after its own last token.
    """
    check_window(phi_q, phi_k, v, keep, write)
    if chunk < 1:
        raise ConfigError(f"chunk is {chunk}, but it must be at least 1; {CHUNK} is the default.")
    if past is not None:
        check_past(phi_k, v, past)
    if v.shape[2] == 0:
        return torch.zeros_like(v), past or _nothing(phi_k, v)
    outs = []
    for start in range(0, v.shape[2], chunk):
        at = slice(start, start + chunk)
        q, k = phi_q[:, :, at], phi_k[:, :, at]
        out, past = _read_chunk(q, k, v[:, :, at], keep[..., at], write[..., at], past)
        outs.append(out)
    assert past is not None
    return torch.cat(outs, 2), past


def _read_chunk(
    phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor, past: RFAState | None
) -> tuple[Tensor, RFAState]:
    c = keep.clamp_min(MIN_KEEP).log().cumsum(-1)  # (B, H, T), from the chunk's first token
    written = write[..., None] * phi_k  # (B, H, T, D)
    weight = faded_scores(phi_q, written, c)  # (B, H, T, T)
    out, norm = torch.matmul(weight, v), weight.sum(-1, keepdim=True)
    if past is not None:
        reach = c.exp()[..., None] * phi_q  # (B, H, T, D): reads the share of the past left at t
        out = out + torch.matmul(reach, past.S)
        norm = norm + torch.matmul(reach, past.z[..., None])
    return out / norm.clamp_min(MIN_NORM), _advance(written, v, c, past)


def _advance(written: Tensor, v: Tensor, c: Tensor, past: RFAState | None) -> RFAState:
    """The past after this chunk: what was there and the chunk's own tokens, each faded."""
    end = c[..., -1:]  # (B, H, 1)
    written = (end - c).exp()[..., None] * written  # (B, H, T, D)
    S, z = torch.matmul(written.mT, v), written.sum(2)  # (B, H, D, E), (B, H, D)
    if past is None:
        return RFAState(S, z)
    return RFAState(S + end.exp()[..., None] * past.S, z + end.exp() * past.z)


def _nothing(phi_k: Tensor, v: Tensor) -> RFAState:
    batch, heads, _, features = phi_k.shape
    return RFAState.empty(batch, heads, features, v.shape[-1], like=v)
