"""Document heads: RFA over the document so far, faded by the gates of the sentences in between.

B windows, H document heads, T queries, N keys, D features, E head size.

A query of sentence j reads all keys of the sentences 1 to j, also those after it in its own
sentence. Their sums have a fixed size, so a sentence leaves only (S, z) to the next one. Every
`fade` is a sum of log gates from the start of the window; the fade of a token is the fade of its
sentence. Causal document heads are plain causal RFA (`attention/rfa`).
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.precision import full_precision
from longways.attention.rfa.constants import MIN_KEEP, MIN_NORM
from longways.attention.state import RFAState


def fades(keep: Tensor) -> Tensor:
    """(B, H, N): the sums of log gates up to each token, from keep (B, H, N)."""
    return keep.clamp_min(MIN_KEEP).log().cumsum(-1)


@full_precision
def document_parallel(
    phi_q: Tensor,
    phi_k: Tensor,
    v: Tensor,
    fade_q: Tensor,
    fade_k: Tensor,
    write: Tensor,
    visible: Tensor,
    past: RFAState | None = None,
) -> Tensor:
    """Attend from phi_q (B, H, T, D) to the keys that `visible` (B, T, N) marks, and to `past`.

    The weight of key s for query t is `phi(q_t) . phi(k_s) * write_s * exp(fade_t - fade_s)`. All
    of a window is one T x N matrix. This form is the reference, and it trains short windows.
    """
    weight = document_weights(phi_q, phi_k, fade_q, fade_k, write, visible)
    out, norm = torch.matmul(weight, v), weight.sum(-1, keepdim=True)
    if past is not None:
        reach = fade_q.exp()[..., None] * phi_q
        out = out + torch.matmul(reach, past.S)
        norm = norm + torch.matmul(reach, past.z[..., None])
    return out / norm.clamp_min(MIN_NORM)


@full_precision
def document_weights(
    phi_q: Tensor, phi_k: Tensor, fade_q: Tensor, fade_k: Tensor, write: Tensor, visible: Tensor
) -> Tensor:
    """The weight (B, H, T, N) of every key for every query, not divided by the norm."""
    distance = fade_q[..., :, None] - fade_k[..., None, :]
    decay = distance.masked_fill(~visible[:, None], -torch.inf).exp()  # (B, H, T, N)
    return torch.matmul(phi_q, (write[..., None] * phi_k).mT) * decay


@full_precision
def document_sums(
    phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor, past: RFAState
) -> RFAState:
    """The sums that all tokens of one sentence read, and that the next sentence starts from.

    phi_k (B, H, N, D) and v (B, H, N, E) are the keys and values of the sentence; keep (B, H) is
    the share of the past that enters it; write (B, H, N) is 0 on padding. `rfa_read` reads them.
    """
    written = write[..., None] * phi_k
    S = keep[..., None, None] * past.S + torch.matmul(written.mT, v)
    return RFAState(S, keep[..., None] * past.z + written.sum(2))
