"""Weights are initialised as in the paper."""

import pytest
import torch

from longways.attention.layers import CausalRFA, CausalSoftmax, CrossRFA
from longways.model.config import preset
from longways.model.decoder import DecoderLayer


def layer(name: str) -> DecoderLayer:
    torch.manual_seed(0)
    return DecoderLayer(preset(name))


def xavier_std(gain: float) -> float:
    return gain * (2 / (512 + 512)) ** 0.5


def test_rfa_projections_start_small():
    made = layer("rfa-sgate")
    assert isinstance(made.causal, CausalRFA)
    assert isinstance(made.cross, CrossRFA)
    gain = 6**-0.5
    for linear in (
        made.causal.q, made.causal.k, made.causal.v, made.causal.o, made.cross.k, made.cross.v,
    ):  # fmt: skip
        assert linear.weight.std().item() == pytest.approx(xavier_std(gain), rel=0.02)
        assert not linear.bias.any()
    for linear in (made.cross.q, made.cross.o):
        assert linear.weight.std().item() == pytest.approx(0.02 * gain, rel=0.02)
        assert not linear.bias.any()


def test_softmax_projections_start_as_in_a_transformer():
    made = layer("transformer")
    assert isinstance(made.causal, CausalSoftmax)
    assert made.causal.q.weight.std().item() == pytest.approx(xavier_std(2**-0.5), rel=0.02)
    assert made.causal.o.weight.std().item() == pytest.approx(xavier_std(1), rel=0.02)


@pytest.mark.parametrize(("name", "bias"), [("rfa-sgate", 2.0), ("rfa-sgate-avg", 0.0)])
def test_gates_and_temperatures_start_where_the_config_says(name, bias):
    made = layer(name)
    assert isinstance(made.causal, CausalRFA)
    assert made.causal.f.bias.tolist() == [bias] * 8
    assert made.causal.phi.tau.tolist() == [1.0] * 8
