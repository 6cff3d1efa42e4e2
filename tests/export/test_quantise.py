"""Int8 weights are close to what they stand for, and so are the numbers made with them."""

import copy

import numpy as np
import pytest
import torch

from longways.export.quantise import Int8, group_size, quantise
from longways.runtime.protocol import pad_rows
from longways.runtime.torch import TorchRuntime
from tests.runtime.exported import KINDS, exact, export, exported
from tests.runtime.test_onnx import SOURCES, TARGETS

SOURCE, TARGET = pad_rows(SOURCES), pad_rows(TARGETS)


@pytest.mark.parametrize(("inputs", "group"), [(16, 16), (256, 64), (320, 64), (48, 16), (40, 16)])
def test_a_group_divides_the_inputs_where_it_can(inputs, group):
    assert group_size(inputs) == group


@pytest.mark.parametrize("inputs", [16, 40, 256])
def test_no_weight_is_off_by_more_than_half_a_step_of_its_group(inputs):
    weight = np.random.default_rng(0).standard_normal((7, inputs)).astype(np.float32)
    weight[3] = 0
    group = group_size(inputs)
    _, scales = quantise(weight, group)
    back = restored(weight)
    steps = np.repeat(scales, group, axis=1)[:, :inputs]
    assert (abs(back - weight) <= steps * 0.501).all()
    assert (back[3] == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_int8_weights_give_the_numbers_of_a_torch_model_with_rounded_weights(kind):
    wanted = rounded(exact(kind)).score(SOURCE, TARGET)
    exact_products = export(exact(kind), Int8("float32"))
    np.testing.assert_allclose(exact_products.score(SOURCE, TARGET), wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_int8_products_stay_close_to_exact_ones(kind):
    """Observed: at most 0.15 with heads of 8 numbers and 8 projections."""
    wanted = rounded(exact(kind)).score(SOURCE, TARGET)
    assert 0 < abs(exported(kind, int8=True).score(SOURCE, TARGET) - wanted).max() < 0.25


def rounded(runtime):
    """The same model with every matrix as int8 has it."""
    model = copy.deepcopy(runtime.model)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(".weight") and weight.ndim == 2:
                weight.copy_(torch.from_numpy(restored(weight.float().numpy())))
    return TorchRuntime(model)


def restored(weight):
    numbers, scales = quantise(weight, group_size(weight.shape[1]))
    back = (numbers.astype(np.float32) - 128) * scales[..., None]
    return back.reshape(len(weight), -1)[:, : weight.shape[1]].copy()


def test_a_size_that_no_group_divides_is_filled_up():
    runtime = exact("rfa-sgate", "dim=24", "feed_forward=40")
    wanted = rounded(runtime).score(SOURCE, TARGET)
    found = export(runtime, Int8("float32")).score(SOURCE, TARGET)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
