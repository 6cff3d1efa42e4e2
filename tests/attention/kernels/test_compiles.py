"""The decode kernels compile for a GPU, for every feature map and many sizes."""

import pytest
import torch

from longways.attention.kernels.fused_map import FusedMap
from longways.attention.rfa.cross import JointSums
from longways.attention.rfa.decode import GateInput
from longways.attention.state import CausalRFAState, GateState, RFAState
from tests.compiling import compiled

HALF, HEADS = torch.bfloat16, 2
MAPS = [("random", 256), ("positive", 32), ("learned", 64), ("spiky", 112)]


def fused(name, projections):
    tau = torch.ones(HEADS) if name in ("random", "positive") else None
    return FusedMap(name, HEADS, projections, tau)


def a_step(phi):
    """q, v, state and gate of four rows."""
    q, v = (torch.zeros(4, HEADS, n, dtype=HALF) for n in (phi.inputs(64), 64))
    sums = RFAState(torch.zeros(4, HEADS, phi.features, 64), torch.zeros(4, HEADS, phi.features))
    past = CausalRFAState(sums, GateState(torch.ones(4, HEADS), torch.ones(4, HEADS)))
    return q, v, past, GateInput("decay", torch.zeros(4, HEADS), torch.zeros(4, dtype=torch.bool))


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("named", MAPS, ids=str)
def test_cross_attention_compiles(named, beams, monkeypatch):
    from longways.attention.kernels.decode_cross import decode_cross_fused

    phi = fused(*named)
    q = torch.zeros(3, HEADS, beams, phi.inputs(64), dtype=HALF)
    memory = JointSums(torch.zeros(3, HEADS, phi.features, 72, dtype=HALF))
    with compiled(monkeypatch) as names:
        decode_cross_fused(q, phi, None, memory, load_early=True)
    assert names == ["cross_decode_single" if beams == 1 else "cross_decode"]


@pytest.mark.parametrize("parents", [None, torch.arange(4)])
@pytest.mark.parametrize("named", MAPS, ids=str)
def test_causal_attention_compiles(named, parents, monkeypatch):
    from longways.attention.kernels.decode_causal import decode_causal_fused

    phi = fused(*named)
    q, v, past, gate = a_step(phi)
    with compiled(monkeypatch) as names:
        decode_causal_fused(q, q, v, phi, None, past, parents, gate, load_early=True)
    assert names == ["causal_decode"]
