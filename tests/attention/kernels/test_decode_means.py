"""One fused step of attention to means equals plain torch."""

import pytest
import torch

from tests.attention.decoding import means_error


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("means", [3, 56, 64, 130])
@pytest.mark.parametrize("key_heads", [1, 2, 6])
def test_every_query_attends_to_the_means_of_its_key_head(interpreted, key_heads, means, beams):
    assert interpreted(means_error, key_heads, means, beams, torch.float32) < 1e-5
