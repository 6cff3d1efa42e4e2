"""The kernels around attention in a decoding step equal torch."""

import pytest
import torch

from tests.attention.decoding import Sizes
from tests.decoding.gpu.layer_errors import (
    append_is_exact,
    linear_add_error,
    norm_cross_errors,
    norm_linear_errors,
)


@pytest.mark.parametrize(("rows", "outputs"), [(3, 32), (17, 100), (1, 7)])
@pytest.mark.parametrize("activation", ["gelu", "relu", "swish", None])
def test_a_fused_norm_and_matmul_equal_torch(interpreted, rows, outputs, activation):
    errors = interpreted(norm_linear_errors, rows, outputs, activation, torch.float32)
    assert max(errors) < 1e-4, errors


@pytest.mark.parametrize(
    ("rows", "dim", "outputs"), [(3, 64, 32), (17, 1536, 100), (1, 600, 7), (5, 320, 320)]
)
def test_a_fused_matmul_and_residual_equal_torch(interpreted, rows, dim, outputs):
    assert interpreted(linear_add_error, rows, dim, outputs, torch.float32) < 1e-4


def test_keys_and_values_are_appended_at_their_positions(interpreted):
    assert interpreted(append_is_exact, torch.float32)


@pytest.mark.parametrize("name", ["spiky", "learned"])
@pytest.mark.parametrize(
    ("windows", "beams", "K", "E"), [(1, 1, 16, 16), (9, 1, 64, 32), (6, 4, 32, 64), (3, 5, 16, 16)]
)
def test_fused_norm_and_cross_attention_equal_torch(interpreted, windows, beams, K, E, name):
    sizes = Sizes(K=K, E=E, heads=3, feature_map=name)
    errors = interpreted(norm_cross_errors, windows, beams, sizes)
    assert max(errors) < 1e-5, errors
