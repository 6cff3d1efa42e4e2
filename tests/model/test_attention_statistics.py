"""Statistics of attention: hand-worked values, and what must not change them."""

import pytest
import torch
from torch.nn.functional import pad

from longways.attention.observed import Observed
from longways.model.attention_statistics import attention_statistics
from longways.model.build import build_model
from tests.model.tiny import tiny_config

SOURCE = torch.tensor([[7, 8, 3, 9, 2], [5, 3, 6, 4, 2]])
TARGET = torch.tensor([[1, 7, 8, 3, 9], [1, 5, 3, 6, 4]])


@pytest.mark.parametrize(
    ("weights", "keys", "is_under"),
    [
        ([0.2, 0.2, 0.2, 0.2], 4.0, False),
        ([0.0, 3.0, 0.0, 0.0], 1.0, False),
        ([0.01, 0.01, 0.0, 0.0], 2.0, True),
        ([0.5, -0.45, 0.0, 0.0], 0.95**2 / (0.25 + 0.2025), True),
        ([0.0, 0.0, 0.0, 0.0], 0.0, True),
    ],
)
def test_effective_keys_and_the_floor_by_hand(weights, keys, is_under):
    observed = Observed(torch.tensor(weights).view(1, 1, 1, 4))
    assert observed.effective_keys().item() == pytest.approx(keys)
    assert observed.under_floor().item() is is_under


@pytest.mark.parametrize("name", ["rfa", "rfa-sgate", "rfa-sgate-avg", "hybrid", "stream"])
def test_every_model_with_rfa_has_a_value_for_each_layer(name):
    model = build_model(tiny_config(name))
    found = attention_statistics(model, SOURCE, TARGET)
    assert {len(values) for values in found.values()} == {model.config.decoder_layers}
    has_cross, has_gate = name != "hybrid", name != "rfa"
    assert ("cross effective keys" in found) is has_cross
    assert ("causal gate" in found) is has_gate
    assert ("cross gate" in found) is (name == "stream")
    assert all(0 <= value <= 1 for name in found if "floor" in name for value in found[name])
    assert all(0 < value <= 5 for name in found if "keys" in name for value in found[name])


def test_a_gate_of_cross_attention_is_among_them():
    found = attention_statistics(
        build_model(tiny_config("rfa", "cross.gate=decay")), SOURCE, TARGET
    )
    assert len(found["cross gate"]) == 3


def test_a_transformer_has_none():
    assert attention_statistics(build_model(tiny_config("transformer")), SOURCE, TARGET) == {}


def test_taus_and_gates_are_those_of_the_weights():
    model = build_model(tiny_config("rfa-sgate"))
    with torch.no_grad():
        for number, layer in enumerate(model.decoder.layers, 1):
            layer.causal.phi.tau.copy_(
                torch.linspace(number, number + 1, len(layer.causal.phi.tau))
            )
            layer.causal.f.weight.zero_()
            layer.causal.f.bias.fill_(1.0)
    found = attention_statistics(model, SOURCE, TARGET)
    layers = range(1, model.config.decoder_layers + 1)
    assert found["causal tau"] == pytest.approx([n + 0.5 for n in layers], abs=1e-4)
    assert found["causal gate"] == pytest.approx([0.7311 for _ in layers], abs=1e-4)


@pytest.mark.parametrize("name", ["rfa-sgate", "stream"])
def test_padding_changes_nothing_and_the_model_goes_on_training(name):
    model = build_model(tiny_config(name)).train()
    plain = attention_statistics(model, SOURCE, TARGET)
    padded = attention_statistics(model, pad(SOURCE, (0, 3)), pad(TARGET, (0, 2)))
    assert model.training
    for key, values in plain.items():
        assert padded[key] == pytest.approx(values, abs=2e-4)


def test_document_heads_with_equal_features_read_all_keys_so_far():
    model = build_model(tiny_config("stream", "stream.gate=none"))
    with torch.no_grad():
        for layer in model.decoder.layers:
            layer.cross.phi.weight.zero_()
            layer.cross.phi.bias.zero_()
    source, target = SOURCE[:1], TARGET[:1]  # 3 + 2 source tokens; 3 + 2 target tokens read them
    found = attention_statistics(model, source, target)
    assert found["cross effective keys"] == pytest.approx([(3 * 3 + 2 * 5) / 5] * 3, abs=1e-4)
    assert found["cross under floor"] == [0.0] * 3
