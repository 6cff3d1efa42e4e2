"""Causal RFA in linear time: a T x T matrix inside short chunks, and a state between chunks.

B batch, H heads, T tokens, D features, E head size; N chunks of C tokens make a block.

The chunks of a block are computed together: first the attention inside each chunk and its sums S
and z; then the state before each chunk, from these sums and the decay between chunks (an N x N
matrix, as the decay between tokens is C x C). Blocks are computed one after the other, so that
working memory does not grow with the text.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

from longways.attention.precision import full_precision
from longways.attention.rfa.constants import MIN_KEEP, MIN_NORM
from longways.attention.rfa.intra_chunk import decay_matrix, decayed_scores
from longways.attention.rfa.shapes import check_past, check_window
from longways.attention.state import RFAState
from longways.errors import ConfigError

CHUNK = 64
"""C, the tokens of a chunk."""

BLOCK = 16
"""N, the chunks of a block."""


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
    """Attend from every token to itself, all tokens before it and `past`; return the new state.

    Equal to `rfa_parallel`, in time linear in T, with working memory for one block. A token with
    keep 1 and write 0 does not change the state. Padding has these gates, so that the state of a
    row is the state after its own last token.
    """
    check_window(phi_q, phi_k, v, keep, write)
    if chunk < 1:
        raise ConfigError(f"chunk is {chunk}, but it must be at least 1; {CHUNK} is the default.")
    if past is not None:
        check_past(phi_k, v, past)
    if v.shape[2] == 0:
        return torch.zeros_like(v), past or _nothing(phi_k, v)
    outs = []
    for start in range(0, v.shape[2], chunk * BLOCK):
        at = slice(start, start + chunk * BLOCK)
        q, k = phi_q[:, :, at], phi_k[:, :, at]
        out, past = _read_block(q, k, v[:, :, at], keep[..., at], write[..., at], past, chunk)
        outs.append(out)
    assert past is not None
    return torch.cat(outs, 2), past


def _read_block(
    phi_q: Tensor,
    phi_k: Tensor,
    v: Tensor,
    keep: Tensor,
    write: Tensor,
    past: RFAState | None,
    chunk: int,
) -> tuple[Tensor, RFAState]:
    tokens = v.shape[2]
    phi_q, written, v = (_in_chunks(x, chunk) for x in (phi_q, write[..., None] * phi_k, v))
    log_keep = keep.clamp_min(MIN_KEEP).log()
    c = _in_chunks(log_keep[..., None], chunk)[..., 0].cumsum(-1)  # (B, H, N, C), per chunk
    weight = decayed_scores(phi_q, written, c)  # (B, H, N, C, C)
    out, norm = torch.matmul(weight, v), weight.sum(-1, keepdim=True)
    before, after = _carry(_sums(written, v, c), c[..., -1], past)
    if before is not None:
        reach = c.exp()[..., None] * phi_q  # (B, H, N, C, D): reads the decayed past
        out = out + torch.matmul(reach, before.S)
        norm = norm + torch.matmul(reach, before.z[..., None])
    return (out / norm.clamp_min(MIN_NORM)).flatten(2, 3)[:, :, :tokens], after


def _in_chunks(x: Tensor, chunk: int) -> Tensor:
    """(B, H, T, size) -> (B, H, N, C, size) with C at most `chunk`, padded with zeros.

    Padding does not change the state: a zero feature writes nothing, a zero log keep is no decay.
    """
    batch, heads, tokens, size = x.shape
    chunks = math.ceil(tokens / chunk)
    even = math.ceil(tokens / chunks)  # 96 tokens are two chunks of 48, not one of 64 and a rest
    filling = chunks * even - tokens
    x = pad(x, (0, 0, 0, filling)) if filling else x
    return x.reshape(batch, heads, chunks, even, size)


def _sums(written: Tensor, v: Tensor, c: Tensor) -> RFAState:
    """Sums of each chunk at its end, without the past: S (B, H, N, D, E), z (B, H, N, D)."""
    written = (c[..., -1:] - c).exp()[..., None] * written
    return RFAState(torch.matmul(written.mT, v), written.sum(-2))


def _carry(sums: RFAState, end: Tensor, past: RFAState | None) -> tuple[RFAState | None, RFAState]:
    """The state before each chunk (None if it is empty) and after the last, from the chunks' sums.

    `end` (B, H, N) is the log of the share of the past that each chunk keeps. Its cumulative sum is
    large, and differences of large numbers are not exact in float32: so it is float64.
    """
    if past is None and end.shape[-1] == 1:
        return None, RFAState(sums.S[:, :, 0], sums.z[:, :, 0])
    fade = end.double().cumsum(-1)  # (B, H, N)
    over = decay_matrix(fade).to(sums.z.dtype)  # (B, H, N, N): share of chunk m left after n
    S, z = torch.einsum("bhnm,bhmde->bhnde", over, sums.S), torch.matmul(over, sums.z)
    if past is None:
        first = RFAState(torch.zeros_like(S[:, :, :1]), torch.zeros_like(z[:, :, :1]))
    else:
        left = fade.exp().to(sums.z.dtype)[..., None]  # (B, H, N, 1)
        S, z = S + left[..., None] * past.S[:, :, None], z + left * past.z[:, :, None]
        first = RFAState(past.S[:, :, None], past.z[:, :, None])
    before = RFAState(torch.cat([first.S, S[:, :, :-1]], 2), torch.cat([first.z, z[:, :, :-1]], 2))
    return before, RFAState(S[:, :, -1], z[:, :, -1])


def _nothing(phi_k: Tensor, v: Tensor) -> RFAState:
    batch, heads, _, features = phi_k.shape
    return RFAState.empty(batch, heads, features, v.shape[-1], like=v)
