"""A feature map whose projection is folded into the layer before it."""

import pytest
import torch
from torch import nn

from longways.attention.features import FEATURE_MAPS
from longways.decoding.gpu.decoder_layer import FoldedMap
from tests.attention.windows import MAPS

HEADS, HEAD, DIM = 3, 4, 12


@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("projections", [2, 4, 9])
def test_a_folded_map_equals_layer_and_map(kind, projections):
    torch.manual_seed(0)
    phi, linear = FEATURE_MAPS[kind](HEADS, HEAD, projections, 0.7).double(), nn.Linear(DIM, DIM)
    if kind in ("learned", "spiky"):
        nn.init.normal_(phi.bias)
    W = torch.randn(HEADS, projections, HEAD, dtype=torch.float64)
    linear, x = linear.double(), torch.randn(5, DIM, dtype=torch.float64)
    folded = FoldedMap(phi, W)
    given = folded.fold_into(linear)(x).view(5, HEADS, 1, -1)
    assert given.shape[-1] == folded.fused.inputs(HEAD)
    wanted = phi(linear(x).view(5, HEADS, 1, HEAD), W)
    torch.testing.assert_close(folded.plain(given, None), wanted)
    assert folded.plain.features == folded.fused.features == wanted.shape[-1]
