"""Random decoding steps, and how far the fused ones are from plain torch in float64.

R rows, P rows of the past, B windows, T beams, H heads, E head size, K projections, D features.

The reference gets the very numbers the kernel gets. An error is a share of the largest number.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from longways.attention.config import GateName, MapName
from longways.attention.features import FEATURE_MAPS, FeatureMap
from longways.attention.rfa.cross import JointSums, _remember_joint
from longways.attention.rfa.decode import GateInput, decode_causal, decode_cross
from longways.attention.softmax import KVMemory, shared_attention
from longways.attention.state import CausalRFAState, GateState, RFAState
from tests.attention.windows import relative_error

Errors = dict[str, float]
READ = 20  # tokens that are in the sums already


@dataclass(frozen=True, kw_only=True)
class Sizes:
    K: int
    E: int
    rows: int = 5
    pasts: int = 4
    beams: int = 4
    heads: int = 2
    feature_map: MapName = "random"
    gate: GateName = "none"
    dtype: torch.dtype = torch.float32
    device: str = "cpu"

    def map(self) -> tuple[FeatureMap, Tensor]:
        torch.manual_seed(self.K + self.E)
        phi = FEATURE_MAPS[self.feature_map](self.heads, self.E, self.K, tau=0.8)
        if self.feature_map == "learned":
            torch.nn.init.normal_(phi.bias)
        phi, W = phi.to(self.device), torch.randn(self.heads, self.K, self.E, device=self.device)
        return phi.requires_grad_(False), W

    def summed(self, batch: int, phi: FeatureMap, W: Tensor) -> tuple[Tensor, Tensor]:
        """The features of READ tokens (batch, H, READ, D), and their values."""
        k, v = torch.randn(2, batch, self.heads, READ, self.E, device=self.device)
        return phi.phi(k, W), v


@dataclass(frozen=True)
class CausalStep:
    """The arguments of `decode_causal`."""

    q: Tensor
    k: Tensor
    v: Tensor
    phi: FeatureMap
    W: Tensor
    past: CausalRFAState
    parents: Tensor | None
    gate: GateInput | None

    @property
    def arguments(self) -> tuple[Any, ...]:
        return tuple(vars(self).values())


def random_step(sizes: Sizes, reordered: bool = True) -> CausalStep:
    """q, k and v are views of one projection; parents repeat and drop, as those of a beam do."""
    phi, W = sizes.map()
    rows, pasts = sizes.rows, sizes.pasts if reordered else sizes.rows
    phi_k, v = sizes.summed(pasts, phi, W)
    gates = torch.rand(2, pasts, sizes.heads, device=sizes.device) * 0.9 + 0.05
    past = CausalRFAState(RFAState(phi_k.mT @ v, phi_k.sum(2)), GateState(*gates))
    qkv = torch.randn(rows, 3, sizes.heads, sizes.E, device=sizes.device).to(sizes.dtype)
    parents = torch.randint(0, pasts, (rows,), device=sizes.device) if reordered else None
    gate = None
    if sizes.gate != "none":
        logits = torch.randn(rows, sizes.heads, device=sizes.device).to(sizes.dtype)
        separators = torch.arange(rows, device=sizes.device) % 2 == 0
        gate = GateInput(sizes.gate, logits, separators)
    return CausalStep(*qkv.unbind(1), phi, W, past, parents, gate)


def causal_errors(step: CausalStep, into: CausalRFAState | None = None) -> Errors:
    """Of `decode_causal_fused`: in its output and in each part of the new state."""
    from longways.attention.kernels.decode_causal import decode_causal_fused

    out, state = decode_causal_fused(*step.arguments, into=into)
    assert out.dtype == step.v.dtype
    wanted, after = decode_causal(*_doubled(step).arguments)
    found, exact = {"out": out} | parts(state), {"out": wanted} | parts(after)
    return {name: relative_error(x.double(), exact[name]) for name, x in found.items()}


def parts(state: CausalRFAState) -> dict[str, Tensor]:
    return {
        "S": state.sums.S,
        "z": state.sums.z,
        "keep": state.gate.keep,
        "write": state.gate.write,
    }


def state_of(make: Any, state: CausalRFAState) -> CausalRFAState:
    """A state of the same shapes, each part made from the old one."""
    S, z, keep, write = (make(x) for x in parts(state).values())
    return CausalRFAState(RFAState(S, z), GateState(keep, write))


def random_memory(sizes: Sizes, half: torch.dtype | None) -> tuple[Any, ...]:
    """q, phi, W and memory: the arguments of `decode_cross`; with `half` the sums are joint."""
    phi, W = sizes.map()
    written, v = sizes.summed(sizes.rows, phi, W)
    memory: RFAState | JointSums = RFAState(written.mT @ v, written.sum(2))
    if half is not None:
        memory = JointSums(_remember_joint(written, v).sums.to(half))
    q = torch.randn(sizes.rows, sizes.beams, sizes.heads, sizes.E, device=sizes.device)
    return q.to(sizes.dtype).transpose(1, 2), phi, W, memory


def cross_error(q: Tensor, phi: FeatureMap, W: Tensor, memory: RFAState | JointSums) -> float:
    """Of `decode_cross_fused`."""
    from longways.attention.kernels.decode_cross import decode_cross_fused

    found = decode_cross_fused(q, phi, W, memory)
    assert found.dtype == q.dtype
    assert found.transpose(1, 2).is_contiguous()
    wanted = decode_cross(q.double(), deepcopy(phi).double(), W.double(), doubled_memory(memory))
    return relative_error(found.double(), wanted)


def doubled_memory(memory: RFAState | JointSums) -> RFAState | JointSums:
    """The same numbers."""
    if isinstance(memory, RFAState):
        return RFAState(memory.S.double(), memory.z.double())
    return JointSums(memory.sums.double())


def means_error(
    key_heads: int, means: int, beams: int, dtype: torch.dtype, device: str = "cpu", E: int = 24
) -> float:
    """Of `decode_means_fused`, with 6 heads of queries, from plain attention in float64."""
    from longways.attention.kernels.decode_means import decode_means_fused

    torch.manual_seed(means)
    q = torch.randn(5, beams, 6, E, device=device).to(dtype).transpose(1, 2)
    k, v = torch.randn(2, 5, key_heads, means, E, device=device).to(dtype)
    memory = KVMemory(k, v, torch.ones(5, means, dtype=torch.bool, device=device), grows=False)
    found = decode_means_fused(q, memory)
    assert found.dtype == q.dtype
    wanted = shared_attention(*(x.double() for x in (q, k, v)), None)
    return relative_error(found.double(), wanted)


def _doubled(step: CausalStep) -> CausalStep:
    gate = step.gate and replace(step.gate, logits=step.gate.logits.double())
    phi, W = deepcopy(step.phi).double(), step.W.double()
    q, k, v = (x.double() for x in (step.q, step.k, step.v))
    past = state_of(lambda x: x.double(), step.past)
    return CausalStep(q, k, v, phi, W, past, step.parents, gate)
