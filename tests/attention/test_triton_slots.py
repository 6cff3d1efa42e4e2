"""One fused step of attention to slots is that of plain torch."""

import pytest
import torch

from tests.attention.decoding import slots_error


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("slots", [3, 56, 64, 130])
@pytest.mark.parametrize("key_heads", [1, 2, 6])
def test_every_query_reads_the_slots_of_its_head_of_keys(interpreted, key_heads, slots, beams):
    assert interpreted(slots_error, key_heads, slots, beams, torch.float32) < 1e-5
