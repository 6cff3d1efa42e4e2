"""The kernel's sums of a source equal plain torch."""

import pytest
import torch

from tests.attention.remembering import remember_error


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("name", ["spiky", "learned"])
@pytest.mark.parametrize(
    ("tokens", "projections", "head_dim"), [(40, 64, 64), (17, 12, 24), (1, 112, 64), (64, 16, 8)]
)
def test_the_sums_equal_torch(interpreted, tokens, projections, head_dim, name, padded):
    sizes = tokens, projections, head_dim
    assert interpreted(remember_error, name, *sizes, padded, torch.float32) < 1e-5


def test_maps_with_key_weights_are_refused(interpreted):
    with pytest.raises(Exception, match="weighs its keys"):
        interpreted(remember_error, "random", 5, 8, 8, True, torch.float32)
