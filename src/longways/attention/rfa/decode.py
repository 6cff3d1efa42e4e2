"""One decoding step of RFA in plain torch: the reference for the fused kernels.

R rows (windows x beams), B windows, T beams, H heads, E head size, K projections, D features.

A step gathers the states of the parent beams, computes gate and features, and attends. There is one
function for causal and one for cross attention, so that each fused kernel has one reference.
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
    """Input of the sentential gate for the current token."""

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
    """Attend from one token per row and add it to the parent's state: out (R, H, E), new state.

    q, k and v are (R, H, E). `parents` (R,) are rows of `past`, which may have more or fewer than R
    rows; a parent may have any number of children. Without parents each row continues itself.
    Without `gate` the gates of the parents are kept.
    """
    past = past if parents is None else past.reorder(parents)
    next_gate, (keep, write) = past.gate, (past.gate.keep, past.gate.write)
    if gate is not None:
        f = widen(gate.logits).sigmoid()
        keep, write, next_gate = gate_step(gate.gate, f, gate.separators, past.gate)
    phi_q, phi_k = (phi(x[:, :, None], W)[:, :, 0] for x in (q, k))
    out, sums = rfa_step(phi_q, phi_k, v, keep, write, past.sums)
    return out, CausalRFAState(sums, next_gate)


def decode_cross(
    q: Tensor, phi: FeatureMap, W: Tensor | None, memory: RFAState | JointSums
) -> Tensor:
    """Attend to the memory of B windows with q (B, H, T, E); all T beams of a window share it."""
    features: Tensor = phi(q, W)
    return rfa_read(features, memory)
