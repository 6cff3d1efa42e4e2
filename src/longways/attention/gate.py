"""Sentential gates: what a separator does to the past, as two tensors, `keep` and `write`.

B batch, H heads, T tokens.

`keep[t]` multiplies the past when token t is read; `write[t]` weighs token t itself. No attention
form knows about gates: all of them see only these two. Padding keeps everything and writes nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.config import GateName
from longways.attention.state import GateState


def open_gate(mask: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    """keep and write (B, H, T) of the gate `none`: nothing forgotten, every real token written."""
    write = mask[:, None, :].float().expand(-1, heads, -1)  # (B, H, T)
    return torch.ones_like(write), write


def sentential_gate(
    gate: GateName, f: Tensor, separators: Tensor, mask: Tensor, past: GateState
) -> tuple[Tensor, Tensor, GateState]:
    """keep and write (B, H, T) for each token of a window, and what awaits the token after it.

    `f` (B, H, T) is sigmoid(w_f . e + b_f) at every token; only its values at `separators` (B, T)
    are used. A separator still belongs to the sentence it ends, so its gate falls on the token
    after it. `decay` fades the past there and writes every token in full; `average` also writes
    the tokens of the new sentence with 1 - keep of that sentence's start.
    """
    tokens = mask.sum(1)  # (B,)  real tokens in each row; padding stands at the end
    after = torch.where(separators[:, None, :], f, 1.0)  # keep of the token after each
    keep = torch.cat([past.keep[..., None], after], -1)  # (B, H, T + 1)
    write = torch.ones_like(keep)
    if gate == "average":
        write = _write_of_sentence(keep, separators, past)
    following = tokens[:, None, None].expand(-1, f.shape[1], 1)
    coming = GateState(keep.gather(2, following)[..., 0], write.gather(2, following)[..., 0])
    real = mask[:, None, :]
    return torch.where(real, keep[..., :-1], 1.0), torch.where(real, write[..., :-1], 0.0), coming


def _write_of_sentence(keep: Tensor, separators: Tensor, past: GateState) -> Tensor:
    """(B, H, T + 1): 1 - keep of the start of each token's sentence; the first follows `past`."""
    positions = torch.arange(keep.shape[-1], device=keep.device)
    starts = torch.nn.functional.pad(separators, (1, 0))  # token t starts a sentence
    last_start = torch.where(starts, positions, 0).cummax(1).values  # (B, T + 1); 0: none yet
    index = last_start[:, None, :].expand_as(keep)
    return torch.where(index > 0, 1 - keep.gather(2, index), past.write[..., None])


def gate_step(
    gate: GateName, f: Tensor, separators: Tensor, past: GateState
) -> tuple[Tensor, Tensor, GateState]:
    """The same for one token: f (B, H) and separators (B,) decide about the token after it."""
    ends = separators[:, None]
    keep = torch.where(ends, f, 1.0)
    write = torch.where(ends, 1 - f, past.write) if gate == "average" else past.write
    return past.keep, past.write, GateState(keep, write)
