"""Steps that keep their tokens beside the state compute what plain steps do."""

import pytest

from tests.attention.decoding import Sizes
from tests.attention.recalling import recall_errors

EXACT = 1e-5


@pytest.mark.parametrize("steps", [1, 3, 8, 11])
@pytest.mark.parametrize("reordered", [True, False])
@pytest.mark.parametrize("gate", ["none", "decay", "average"])
def test_outputs_and_state_are_those_of_plain_steps(interpreted, gate, reordered, steps):
    errors = interpreted(recall_errors, steps, 4, reordered, Sizes(K=32, E=64, gate=gate))
    assert max(errors.values()) < EXACT, errors


@pytest.mark.parametrize("reordered", [True, False])
@pytest.mark.parametrize("name", ["random", "positive", "learned", "spiky"])
@pytest.mark.parametrize(("K", "E"), [(12, 24), (64, 64)])
def test_every_map_serves(interpreted, name, K, E, reordered):
    sizes = Sizes(K=K, E=E, feature_map=name, gate="decay")
    errors = interpreted(recall_errors, 5, 3, reordered, sizes)
    assert max(errors.values()) < EXACT, errors
