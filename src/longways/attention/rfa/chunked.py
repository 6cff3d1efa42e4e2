"""Causal RFA in linear time: T x T inside short chunks, a carried state between them.

B batch, H heads, T tokens, D features, E head size; inside a chunk token t reads token s <= t.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.precision import full_precision
from longways.attention.rfa.constants import MIN_KEEP, MIN_NORM
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
    if past is None:
        batch, heads, _, features = phi_k.shape
        past = RFAState.empty(batch, heads, features, v.shape[-1], like=v)
    check_past(phi_k, v, past)
    if v.shape[2] == 0:
        return torch.zeros_like(v), past
    outs = []
    for start in range(0, v.shape[2], chunk):
        at = slice(start, start + chunk)
        q, k = phi_q[:, :, at], phi_k[:, :, at]
        out, past = _read_chunk(q, k, v[:, :, at], keep[..., at], write[..., at], past)
        outs.append(out)
    return torch.cat(outs, 2), past


def _read_chunk(
    phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor, past: RFAState
) -> tuple[Tensor, RFAState]:
    c = keep.clamp_min(MIN_KEEP).log().cumsum(-1)  # (B, H, T), from the chunk's first token
    weight = torch.matmul(phi_q, phi_k.mT) * _decay(c) * write[..., None, :]  # (B, H, T, T)
    reach = c.exp()[..., None]  # (B, H, T, 1): the share of the past that reaches token t
    out = torch.matmul(weight, v) + reach * torch.matmul(phi_q, past.S)
    norm = weight.sum(-1, keepdim=True) + reach * torch.matmul(phi_q, past.z[..., None])
    return out / norm.clamp_min(MIN_NORM), _advance(phi_k, v, c, write, past)


def _decay(c: Tensor) -> Tensor:
    """How much of token s survives until token t: exp(c_t - c_s), 0 for the future."""
    tokens = c.shape[-1]
    future = torch.ones(tokens, tokens, dtype=torch.bool, device=c.device).triu(1)
    return (c[..., :, None] - c[..., None, :]).masked_fill(future, -torch.inf).exp()


def _advance(phi_k: Tensor, v: Tensor, c: Tensor, write: Tensor, past: RFAState) -> RFAState:
    """The past after this chunk: what was there, faded, and the chunk's own tokens."""
    end = c[..., -1:]
    written = phi_k * ((end - c).exp() * write)[..., None]  # (B, H, T, D)
    fade = end.exp()
    S = fade[..., None] * past.S + torch.matmul(written.mT, v)  # (B, H, D, E)
    return RFAState(S, fade * past.z + written.sum(2))
