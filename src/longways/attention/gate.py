"""Sentential gates: what a separator does to the state, as two tensors, `keep` and `write`.

B batch, H heads, T tokens.

`keep[t]` multiplies the state when token t is read; `write[t]` is the weight of token t itself. The
forms of attention know only these two tensors. Padding has keep 1 and write 0.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.attention.config import GateName
from longways.attention.rfa.constants import MIN_KEEP
from longways.attention.state import GateState


def gate_window(
    gate: GateName, f: Tensor, separators: Tensor, past: GateState
) -> tuple[Tensor, Tensor]:
    """keep and write (B, H, T + 1) for each token of a window and the token after it.

    `f` (B, H, T) is sigmoid(w_f . e + b_f) at every token; only its values at `separators` (B, T)
    are used. A separator belongs to the sentence that it ends, so its gate acts at the next token.
    `decay` multiplies the state by f there and writes every token with weight 1; `average` writes
    the tokens of the new sentence with weight 1 - f instead.
    """
    after = torch.where(separators[:, None, :], f, 1.0)  # keep of each next token
    keep = torch.cat([past.keep[..., None], after], -1)
    return keep, _write(keep, separators, past) if gate == "average" else torch.ones_like(keep)


def _write(keep: Tensor, separators: Tensor, past: GateState) -> Tensor:
    """1 - keep at the start of each token's sentence; `past.write` in the first sentence."""
    positions = torch.arange(keep.shape[-1], device=keep.device)
    starts = torch.nn.functional.pad(separators, (1, 0))  # token t starts a sentence
    last_start = torch.where(starts, positions, 0).cummax(1).values  # (B, T + 1); 0: no start yet
    index = last_start[:, None, :].expand_as(keep)
    return torch.where(index > 0, 1 - keep.gather(2, index), past.write[..., None])


def hide_padding(keep: Tensor, write: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, GateState]:
    """keep and write (B, H, T) with padding masked, and the gate of each row's next token.

    `gate_window` returns the arguments keep and write; mask (B, T) is false on padding, which
    is at the end of a row.
    """
    after_last = mask.sum(1)[:, None, None].expand(-1, keep.shape[1], 1)
    coming = GateState(keep.gather(2, after_last)[..., 0], write.gather(2, after_last)[..., 0])
    real = mask[:, None, :]
    return torch.where(real, keep[..., :-1], 1.0), torch.where(real, write[..., :-1], 0.0), coming


def fade_to_end(f: Tensor, separators: Tensor) -> Tensor:
    """(B, H, T): what the gates leave of each token at the end of the window.

    It is the product of f (B, H, T) at the separators (B, T) from each token on. A separator
    belongs to the sentence that it ends, so its gate fades the separator itself, too.
    """
    logs = torch.where(separators[:, None, :], f, 1.0).clamp_min(MIN_KEEP).log()
    return logs.flip(-1).cumsum(-1).flip(-1).exp()


def gate_step(
    gate: GateName, f: Tensor, separators: Tensor, past: GateState
) -> tuple[Tensor, Tensor, GateState]:
    """keep and write (B, H) of one token, and the gate of the next; f (B, H), separators (B,)."""
    ends = separators[:, None]
    keep = torch.where(ends, f, 1.0)
    write = torch.where(ends, 1 - f, past.write) if gate == "average" else past.write
    return past.keep, past.write, GateState(keep, write)
