"""The small kernels of a decoding step compute what torch computes."""

import pytest
import torch

from tests.attention.decoding import Sizes
from tests.decoding.gpu.stepping import (
    append_is_right,
    linear_add_error,
    norm_cross_errors,
    norm_linear_errors,
)


@pytest.mark.parametrize(("rows", "outputs"), [(3, 32), (17, 100), (1, 7)])
@pytest.mark.parametrize("bent", [True, False])
def test_norm_and_product_in_one_are_those_of_torch(interpreted, rows, outputs, bent):
    errors = interpreted(norm_linear_errors, rows, outputs, bent, torch.float32)
    assert max(errors) < 1e-4, errors


@pytest.mark.parametrize(
    ("rows", "dim", "outputs"), [(3, 64, 32), (17, 1536, 100), (1, 600, 7), (5, 320, 320)]
)
def test_product_and_residual_in_one_are_those_of_torch(interpreted, rows, dim, outputs):
    assert interpreted(linear_add_error, rows, dim, outputs, torch.float32) < 1e-4


def test_keys_and_values_are_appended_where_they_belong(interpreted):
    assert interpreted(append_is_right, torch.float32)


@pytest.mark.parametrize("name", ["spiky", "learned"])
@pytest.mark.parametrize(
    ("windows", "beams", "K", "E"), [(1, 1, 16, 16), (9, 1, 64, 32), (6, 4, 32, 64), (3, 5, 16, 16)]
)
def test_norm_query_and_read_in_one_are_those_of_torch(interpreted, windows, beams, K, E, name):
    sizes = Sizes(K=K, E=E, heads=3, feature_map=name)
    errors = interpreted(norm_cross_errors, windows, beams, sizes)
    assert max(errors) < 1e-5, errors
