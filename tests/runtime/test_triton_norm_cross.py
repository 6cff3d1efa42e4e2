"""One kernel from what a decoder has to what it finds in the source."""

import pytest
import torch

from longways.attention.rfa.cross import COLUMNS, JointSums
from longways.attention.rfa.triton_decode_map import FusedMap
from longways.attention.state import RFAState
from longways.errors import ShapeError
from longways.runtime.step_kernels import Linear
from tests.compiling import compiled
from tests.runtime.at_once import norm_cross_errors
from tests.runtime.stepping import random_norm

SIZES = [(64, 16, 16), (32, 32, 64)]


@pytest.mark.parametrize(("windows", "beams"), [(1, 1), (17, 1), (3, 4), (16, 2)])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", ["spiky", "learned"])
def test_it_is_what_norm_product_and_read_give(interpreted, name, windows, beams, sizes):
    errors = interpreted(norm_cross_errors, name, windows, beams, sizes, torch.float32)
    assert max(errors) < 1e-4


def parts(rows=4, dim=64, features=64, head_dim=64, windows=4):
    half = torch.bfloat16
    queries = Linear(torch.zeros(2 * features, dim, dtype=half), torch.zeros(2 * features).to(half))
    memory = JointSums(torch.zeros(windows, 2, features, head_dim + COLUMNS, dtype=half))
    x, norm = torch.zeros(rows, dim, dtype=half), random_norm(dim, half, "cpu")
    return x, norm, queries, FusedMap("spiky", 2, features), memory


@pytest.mark.parametrize(
    "sizes", [(96, 512, 64, 64, 96), (128, 1024, 32, 128, 32), (1, 64, 64, 64, 1)]
)
def test_it_compiles(sizes, monkeypatch):
    from longways.runtime.triton_norm_cross import norm_cross_fused

    with compiled(monkeypatch) as names:
        norm_cross_fused(*parts(*sizes))
    assert names == ["norm_cross_kernel"]


def test_it_takes_few_rows_and_small_trained_maps():
    from longways.runtime.triton_norm_cross import serves

    x, _, _, fused, memory = parts()
    assert serves(x, fused, memory)
    assert not serves(x.expand(33, 4, 64).flatten(0, 1), fused, memory)  # many rows
    assert not serves(x, FusedMap("random", 2, 64, torch.ones(2)), memory)
    assert not serves(x, fused, RFAState(memory.sums, memory.sums[..., 0]))
    assert not serves(x, FusedMap("spiky", 2, 24), JointSums(memory.sums[:, :, :24]))
    assert not serves(x, FusedMap("spiky", 2, 128), JointSums(memory.sums.repeat(1, 1, 2, 1)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 6}, "6 rows are not the same number of beams for 4 windows"),
        ({"rows": 200, "windows": 200}, "not what this kernel takes"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    from longways.runtime.triton_norm_cross import norm_cross_fused

    with pytest.raises(ShapeError, match=message):
        norm_cross_fused(*parts(**change))


def test_queries_of_another_size_are_refused():
    from longways.runtime.triton_norm_cross import norm_cross_fused

    x, norm, queries, fused, memory = parts()
    with pytest.raises(ShapeError, match="64 projections of queries, but the memory has 2 heads"):
        norm_cross_fused(x, norm, Linear(queries.weight[:64], queries.bias[:64]), fused, memory)
