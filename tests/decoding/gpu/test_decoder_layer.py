"""A feature map and the product before it, folded into one product."""

import pytest
import torch
from torch import nn

from longways.attention.features import FEATURE_MAPS
from longways.decoding.gpu.decoder_layer import StepMap
from tests.attention.windows import MAPS

HEADS, HEAD, DIM = 3, 4, 12


@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("projections", [2, 4, 9])
def test_one_product_gives_what_two_gave(kind, projections):
    torch.manual_seed(0)
    phi, linear = FEATURE_MAPS[kind](HEADS, HEAD, projections, 0.7).double(), nn.Linear(DIM, DIM)
    if kind in ("learned", "spiky"):
        nn.init.normal_(phi.bias)
    W = torch.randn(HEADS, projections, HEAD, dtype=torch.float64)
    linear, x = linear.double(), torch.randn(5, DIM, dtype=torch.float64)
    step = StepMap(phi, W)
    given = step.before(linear)(x).view(5, HEADS, 1, -1)
    assert given.shape[-1] == step.fused.inputs(HEAD)
    wanted = phi(linear(x).view(5, HEADS, 1, HEAD), W)
    torch.testing.assert_close(step.plain(given, None), wanted)
    assert step.plain.features == step.fused.features == wanted.shape[-1]
