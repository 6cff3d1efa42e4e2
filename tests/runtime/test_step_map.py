"""A feature map and the product before it, folded into one product."""

import pytest
import torch
from torch import nn

from longways.attention.features import LearnedFeatures, RandomFeatures, SpikyFeatures
from longways.runtime.step_map import StepMap

HEADS, HEAD, DIM = 3, 4, 12


@pytest.mark.parametrize("kind", [LearnedFeatures, SpikyFeatures])
@pytest.mark.parametrize("projections", [2, 4, 9])
def test_one_product_gives_what_two_gave(kind, projections):
    torch.manual_seed(0)
    phi, linear = kind(HEADS, HEAD, projections, 1.0).double(), nn.Linear(DIM, DIM).double()
    nn.init.normal_(phi.bias)
    step, x = StepMap(phi, None), torch.randn(5, DIM, dtype=torch.float64)
    u = step.before(linear)(x).view(5, HEADS, 1, projections)
    wanted = phi(linear(x).view(5, HEADS, 1, HEAD), None)
    torch.testing.assert_close(step.plain(u, None), wanted)
    assert step.fused.W is None


def test_a_random_map_is_left_as_it_is():
    phi, linear = RandomFeatures(HEADS, HEAD, 5, 1.0), nn.Linear(DIM, DIM)
    step = StepMap(phi, torch.randn(HEADS, 5, HEAD))
    assert step.before(linear) is linear
    assert step.plain is phi
    assert step.fused.features == 10
