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


def gate_window(
    gate: GateName, f: Tensor, separators: Tensor, past: GateState
) -> tuple[Tensor, Tensor]:
    """keep and write (B, H, T + 1) for each token of a window and the one to come after it.

    `f` (B, H, T) is sigmoid(w_f . e + b_f) at every token; only its values at `separators` (B, T)
    are used. A separator still belongs to the sentence it ends, so its gate falls on the token
    after it. `decay` fades the past there and writes every token in full; `average` also writes
    the tokens of the new sentence with 1 - keep of that sentence's start.
    """
    after = torch.where(separators[:, None, :], f, 1.0)  # keep of the token after each
    keep = torch.cat([past.keep[..., None], after], -1)
    return keep, _write(keep, separators, past) if gate == "average" else torch.ones_like(keep)


def _write(keep: Tensor, separators: Tensor, past: GateState) -> Tensor:
    """1 - keep of the start of each token's sentence; the first sentence follows `past`."""
    positions = torch.arange(keep.shape[-1], device=keep.device)
    starts = torch.nn.functional.pad(separators, (1, 0))  # token t starts a sentence
    last_start = torch.where(starts, positions, 0).cummax(1).values  # (B, T + 1); 0: none yet
    index = last_start[:, None, :].expand_as(keep)
    return torch.where(index > 0, 1 - keep.gather(2, index), past.write[..., None])


def hide_padding(keep: Tensor, write: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, GateState]:
    """keep and write (B, H, T) with padding silenced, and the gate of each row's next token.

    keep and write come from `gate_window`; mask (B, T) is false on padding, at the end of a row.
    """
    after_last = mask.sum(1)[:, None, None].expand(-1, keep.shape[1], 1)
    coming = GateState(keep.gather(2, after_last)[..., 0], write.gather(2, after_last)[..., 0])
    real = mask[:, None, :]
    return torch.where(real, keep[..., :-1], 1.0), torch.where(real, write[..., :-1], 0.0), coming


def gate_step(
    gate: GateName, f: Tensor, separators: Tensor, past: GateState
) -> tuple[Tensor, Tensor, GateState]:
    """The same for one token: f (B, H) and separators (B,) decide about the token after it."""
    ends = separators[:, None]
    keep = torch.where(ends, f, 1.0)
    write = torch.where(ends, 1 - f, past.write) if gate == "average" else past.write
    return past.keep, past.write, GateState(keep, write)
