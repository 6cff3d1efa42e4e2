"""The search kernel equals plain torch in every step."""

import pytest

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_beam_search import NO_SEPARATORS
from tests.decoding.searching import disagreements

CONFIGS = [
    SearchConfig(beams=1),
    SearchConfig(beams=4),
    SearchConfig(beams=4, nbest=3, alpha=0.6),
    SearchConfig(beams=3, nbest=2, alpha=0.0),
]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
@pytest.mark.parametrize("separators", [NO_SEPARATORS, 0, 2])
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_a_whole_search_equals_plain_torch(interpreted, config, separators, seed):
    assert interpreted(disagreements, config, separators, seed) == []
