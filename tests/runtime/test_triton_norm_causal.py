"""One kernel from what a decoder has to what it finds in the target so far."""

import pytest
import torch

from longways.attention.rfa.triton_decode_map import FusedMap
from longways.errors import ShapeError
from longways.runtime.step_kernels import Linear
from tests.compiling import compiled
from tests.runtime.at_once import HEADS, norm_causal_errors, random_state
from tests.runtime.stepping import random_norm

HALF = torch.bfloat16


@pytest.mark.parametrize("reordered", [False, True])
@pytest.mark.parametrize(("rows", "gate"), [(1, "decay"), (17, "average"), (24, "none")])
@pytest.mark.parametrize("sizes", [(64, 16, 16), (32, 64, 32)])
@pytest.mark.parametrize("name", ["spiky", "learned"])
def test_it_is_what_norm_product_and_step_give(interpreted, name, sizes, rows, gate, reordered):
    given = name, rows, reordered, gate, sizes, torch.float32
    errors = interpreted(norm_causal_errors, *given)
    assert set(errors) == {"normed", "out", "S", "z", "keep", "write"}
    assert max(errors.values()) < 1e-4, errors


def given(rows=4, dim=64, features=32, head_dim=64, gate="decay"):
    outputs = HEADS * (2 * features + head_dim + (gate != "none"))
    joint = Linear(torch.zeros(outputs, dim, dtype=HALF), torch.zeros(outputs, dtype=HALF))
    x, norm = torch.zeros(rows, dim, dtype=HALF), random_norm(dim, HALF, "cpu")
    past = random_state(rows, head_dim, features, "cpu")
    return x, norm, joint, FusedMap("spiky", HEADS, features), past


@pytest.mark.parametrize("reordered", [False, True])
@pytest.mark.parametrize("gate", ["none", "decay", "average"])
@pytest.mark.parametrize("sizes", [(96, 512), (1, 64, 16, 16), (128, 1024, 16, 128)])
def test_it_compiles(sizes, gate, reordered, monkeypatch):
    from longways.runtime.triton_norm_causal import norm_causal_fused

    parents = torch.zeros(sizes[0], dtype=torch.int64) if reordered else None
    separators = torch.zeros(sizes[0], dtype=torch.bool)
    with compiled(monkeypatch) as names:
        for settled in (True, False):
            norm_causal_fused(
                *given(*sizes, gate=gate), parents, (gate, separators), settled=settled
            )
    assert names == ["norm_causal_kernel"] * 2


def test_it_takes_few_rows_and_small_trained_maps():
    from longways.runtime.triton_norm_causal import serves

    x, _, _, fused, past = given()
    assert serves(x, fused, past)
    assert not serves(x.expand(33, 4, 64).flatten(0, 1), fused, past)  # many rows
    assert not serves(x, FusedMap("random", HEADS, 16, torch.ones(HEADS)), past)
    assert not serves(x, fused, random_state(4, 64, 64, "cpu"))
    assert not serves(x, fused, random_state(4, 24, 32, "cpu"))
    assert not serves(x, fused, None)


def test_what_does_not_fit_is_refused():
    from longways.runtime.triton_norm_causal import norm_causal_fused

    separators = torch.zeros(4, dtype=torch.bool)
    with pytest.raises(ShapeError, match="has 387 outputs, but 3 heads of 32 features and 64"):
        norm_causal_fused(*given(), None, ("none", separators))
    with pytest.raises(ShapeError, match="not what this kernel takes"):
        norm_causal_fused(*given(head_dim=24), None, ("decay", separators))
