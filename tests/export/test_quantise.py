"""Int8 weights are close to the float32 weights, and so are the numbers of the model."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from longways.attention.features import ProjectedFeatures
from longways.decoding.runtime import pad_rows
from longways.decoding.torch import TorchRuntime
from longways.export.quantise import Int8, quantise
from tests.decoding.exported import KINDS, exact, export, exported
from tests.decoding.onnx.test_runtime import SOURCES, TARGETS
from tests.export.running import run_graph

SOURCE, TARGET = pad_rows(SOURCES), pad_rows(TARGETS)


@pytest.mark.parametrize("inputs", [16, 40, 256])
def test_no_weight_is_off_by_more_than_half_a_step_of_its_output(inputs):
    weight = np.random.default_rng(0).standard_normal((7, inputs)).astype(np.float32)
    weight[3] = 0
    _, scales = quantise(weight)
    back = restored(weight)
    assert (abs(back - weight) <= scales[:, None] * 0.501).all()
    assert (back[3] == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_int8_weights_give_the_numbers_of_a_torch_model_with_rounded_weights(kind):
    wanted = rounded(exact(kind)).score(SOURCE, TARGET)
    exact_products = export(exact(kind), Int8("float32"))
    np.testing.assert_allclose(exact_products.score(SOURCE, TARGET), wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_int8_products_stay_close_to_exact_ones(kind):
    """The observed maximum is 0.15, with heads of size 8 and 8 projections."""
    wanted = rounded(exact(kind)).score(SOURCE, TARGET)
    assert 0 < abs(exported(kind, int8=True).score(SOURCE, TARGET) - wanted).max() < 0.25


@pytest.mark.parametrize("many", [False, True])
def test_a_matmul_quantises_each_row_and_each_output_with_its_own_scale(many):
    rng = np.random.default_rng(0)
    weight, bias = (rng.standard_normal(size).astype(np.float32) for size in ((7, 40), (7,)))
    x = rng.standard_normal((3, 2, 40)).astype(np.float32) * np.float32([[1], [1e-4]])
    x[1, 1] = 0
    numbers, scales = quantise(x.reshape(6, 40))
    rows = (numbers.astype(np.float64) * scales[:, None]).reshape(x.shape)
    weights = Int8().for_large_batches() if many else Int8()
    found = multiplied(weights, x, weight, bias)
    np.testing.assert_allclose(found, rows @ restored(weight).T + bias, rtol=0, atol=1e-5)
    assert np.array_equal(found[1, 1], bias)


def test_a_row_is_the_same_alone_and_among_others():
    rng = np.random.default_rng(0)
    weight, x = (rng.standard_normal(size).astype(np.float32) for size in ((96, 512), (1, 33, 512)))
    together = multiplied(Int8(), x, weight, None)
    for row in (0, 7, 32):
        alone = multiplied(Int8(), x[:, row : row + 1], weight, None)
        assert np.array_equal(alone[0, 0], together[0, row])


def multiplied(weights, x, weight, bias):
    def build(graph, value):
        return {"y": weights.multiply(graph, value, weight, bias)}

    return run_graph(build, x=x)["y"]


def rounded(runtime):
    """The same model with every matrix quantised to int8 and back."""
    model = copy.deepcopy(runtime.model)
    with torch.no_grad():
        for layer in model.modules():
            if isinstance(getattr(layer, "phi", None), ProjectedFeatures):
                fold_projection(layer)
        for name, weight in model.named_parameters():
            if name.endswith(".weight") and weight.ndim == 2:
                weight.copy_(torch.from_numpy(restored(weight.float().numpy())))
    return TorchRuntime(model)


def fold_projection(layer):
    """Fold the map's projection into q and k; the map keeps an identity projection."""
    W, b = torch.block_diag(*layer.phi.weight), layer.phi.bias.flatten()  # (H K, d) and (H K,)
    for linear in (layer.q, layer.k):
        linear.bias = nn.Parameter(W @ linear.bias + b)
        linear.weight = nn.Parameter(W @ linear.weight)
    heads, projections = layer.phi.bias.shape
    layer.phi.weight = nn.Parameter(torch.eye(projections).to(W).repeat(heads, 1, 1))
    layer.phi.bias.zero_()


def restored(weight):
    numbers, scales = quantise(weight)
    return numbers.astype(np.float32) * scales[:, None]


def test_sizes_may_be_odd():
    runtime = exact("rfa-sgate", "dim=24", "feed_forward=40")
    wanted = rounded(runtime).score(SOURCE, TARGET)
    found = export(runtime, Int8("float32")).score(SOURCE, TARGET)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
