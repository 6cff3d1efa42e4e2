"""The kernels that end a decoding step find the words that torch finds, and read them."""

import pytest
import torch

from tests.decoding.gpu.choosing import part_errors, read_errors


@pytest.mark.parametrize(("words", "count"), [(5000, 6), (4096, 3), (2049, 6), (10, 6)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_the_best_of_all_parts_are_those_of_torch(interpreted, words, count, dtype):
    error, same = interpreted(part_errors, 3, words, count, dtype)
    assert error < (1e-5 if dtype == torch.float32 else 1e-4)
    assert same


@pytest.mark.parametrize("dim", [64, 24])
def test_tokens_are_embedded_where_they_stand(interpreted, dim):
    error, placed, told = interpreted(read_errors, dim, torch.float32)
    assert error < 1e-5
    assert placed
    assert told
