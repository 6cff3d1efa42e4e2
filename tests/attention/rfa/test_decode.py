"""The plain decoding step, the reference of the kernels, equals the layers."""

from __future__ import annotations

import pytest
import torch

from longways.attention.config import CausalConfig, CrossConfig
from longways.attention.kernels.fused_map import fused_decode_serves, fused_map
from longways.attention.layers import CausalRFA, CrossRFA
from longways.attention.rfa.decode import GateInput, decode_causal, decode_cross
from longways.attention.state import CausalRFAState
from tests.attention.decoding import parts
from tests.attention.windows import GATES, MAPS

R, H, E, K = 6, 2, 8, 12


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("feature_map", MAPS)
def test_a_causal_step_equals_the_layer_after_a_reorder(gate, feature_map):
    torch.manual_seed(0)
    layer = CausalRFA(H * E, H, CausalConfig(gate=gate, feature_map=feature_map, projection=K))
    W, prefix, x = torch.randn(H, K, E), torch.randn(4, 9, H * E), torch.randn(R, H * E)
    parents, separators = torch.tensor([3, 3, 0, 1, 0, 0]), torch.arange(R) % 2 == 0
    start = layer.start(4, 0, like=x)
    _, past = layer.extend(prefix, torch.rand(4, 9) < 0.3, torch.ones(4, 9).bool(), start, W)
    wanted, after = layer.step(x, separators, past.reorder(parents), W)
    told = None if gate == "none" else GateInput(gate, layer.f(x), separators)
    q, k, v = (project(x).view(R, H, E) for project in (layer.q, layer.k, layer.v))
    assert isinstance(past, CausalRFAState)
    out, state = decode_causal(q, k, v, layer.phi, W, past, parents, told)
    assert torch.equal(layer.output(out.flatten(1)), wanted)
    for found, expected in zip(parts(state).values(), parts(after).values(), strict=True):
        assert torch.equal(found, expected)


@pytest.mark.parametrize("feature_map", MAPS)
def test_a_cross_step_equals_the_layer(feature_map):
    torch.manual_seed(0)
    layer = CrossRFA(H * E, H, CrossConfig(feature_map=feature_map, projection=K))
    W, source, x = torch.randn(H, K, E), torch.randn(3, 7, H * E), torch.randn(3, 4, H * E)
    memory = layer.remember(source, torch.ones(3, 7).bool(), W)
    out = decode_cross(layer.split(layer.q(x)), layer.phi, W, memory)
    assert torch.equal(layer.join(out), layer.read(x, memory, W))


@pytest.mark.parametrize("feature_map", MAPS)
def test_a_fused_map_has_the_name_and_features_of_its_map(feature_map):
    layer = CausalRFA(H * E, H, CausalConfig(feature_map=feature_map, projection=K))
    fused = fused_map(layer.phi)
    assert (fused.name, fused.features) == (feature_map, layer.phi.features)


def test_decode_kernels_do_not_serve_a_cpu():
    assert not fused_decode_serves(torch.zeros(1, H, E), E)
