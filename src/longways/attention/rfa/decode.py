"""One decoding step of RFA from queries, keys and values: plain torch, the reference for kernels.

R rows (windows x beams), B windows, T beams, H heads, E head size, K projections, D features.

A step is more than its attention: the state of the parent beams is looked up, the gate decides,
features are made. All of it stands here in one function for causal and one for cross attention,
so that a fused kernel has one function to agree with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from longways.attention.features import FeatureMap
from longways.attention.gate import gate_step
from longways.attention.precision import widen
from longways.attention.rfa.cross import JointSums, rfa_read
from longways.attention.rfa.recurrent import rfa_step
from longways.attention.state import CausalRFAState, RFAState


@dataclass(frozen=True)
class GateInput:
    """What the sentential gate is told about the token that is being read."""

    gate: Literal["decay", "average"]
    logits: Tensor  # (R, H)  w_f . e + b_f, in any precision; f is their sigmoid
    separators: Tensor  # (R,)  bool: whether the token ends a sentence


def decode_causal(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    phi: FeatureMap,
    W: Tensor | None,
    past: CausalRFAState,
    parents: Tensor | None = None,
    gate: GateInput | None = None,
) -> tuple[Tensor, CausalRFAState]:
    """Read one token a row into the state of its parent: out (R, H, E) and the new state.

    q, k and v (R, H, E). `parents` (R,) are rows of `past`, which may be more or fewer than R: one
    may have many children or none; without them each row follows itself. Without `gate` the gates
    of the parents are passed on.
    """
    past = past if parents is None else past.reorder(parents)
    coming, (keep, write) = past.gate, (past.gate.keep, past.gate.write)
    if gate is not None:
        f = widen(gate.logits).sigmoid()
        keep, write, coming = gate_step(gate.gate, f, gate.separators, past.gate)
    phi_q, phi_k = (phi(x[:, :, None], W)[:, :, 0] for x in (q, k))
    out, sums = rfa_step(phi_q, phi_k, v, keep, write, past.sums)
    return out, CausalRFAState(sums, coming)


def decode_cross(
    q: Tensor, phi: FeatureMap, W: Tensor | None, memory: RFAState | JointSums
) -> Tensor:
    """Read the memory of B windows with q (B, H, T, E), the T beams of a window sharing it."""
    features: Tensor = phi(q, W)
    return rfa_read(features, memory)
