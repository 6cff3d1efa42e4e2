"""The kernels of attention to ranges on a real GPU, in all precisions that train."""

from __future__ import annotations

import pytest
import torch

from tests.attention.kernels.test_ranges import errors

pytestmark = pytest.mark.gpu

SENTENCES = [[33, 2, 40, 1], [20, 20, 20, 16], [76], [1] * 76]


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
@pytest.mark.parametrize(
    ("dtype", "close"), [(torch.float32, 1e-5), (torch.float16, 4e-3), (torch.bfloat16, 3e-2)]
)
def test_values_and_gradients_equal_masked_attention(kind, dtype, close):
    lengths = [[1] * 76] if kind == "cross" else SENTENCES
    found = errors(lengths, kind, 64, dtype, "cuda")
    assert max(found.values()) < close, found
