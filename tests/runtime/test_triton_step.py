"""The small kernels of a decoding step compute what torch computes."""

import pytest
import torch

from tests.runtime.stepping import best_errors, norm_error, norm_linear_errors


@pytest.mark.parametrize("dim", [512, 24, 130])
def test_a_sum_and_its_norm_are_those_of_torch(interpreted, dim):
    total, normed = interpreted(norm_error, 3, dim, torch.float32)
    assert total < 1e-6
    assert normed < 1e-5


@pytest.mark.parametrize(("words", "candidates"), [(5000, 6), (4096, 3), (2049, 6), (10, 6)])
def test_the_likeliest_tokens_are_those_of_torch(interpreted, words, candidates):
    error, same = interpreted(best_errors, 3, words, candidates, torch.float32)
    assert error < 1e-5
    assert same


@pytest.mark.parametrize(("rows", "outputs"), [(3, 32), (17, 100), (1, 7)])
@pytest.mark.parametrize("updated", [True, False])
@pytest.mark.parametrize("bent", [True, False])
def test_norm_and_product_in_one_are_those_of_torch(interpreted, rows, outputs, updated, bent):
    errors = interpreted(norm_linear_errors, rows, outputs, updated, bent, torch.float32)
    assert max(errors) < 1e-4, errors
