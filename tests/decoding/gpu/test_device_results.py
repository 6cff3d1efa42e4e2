"""Results read from the logs of many windows at once are those of each window's own log."""

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_beam_search import NO_SEPARATORS
from longways.decoding.gpu.device_results import DeviceResults
from longways.text.tokenizers.special_tokens import EOS
from tests.decoding.searching import MOST, SLOTS, begin, candidates


def logs_after(steps: int, separators: int, seed: int) -> DeviceResults:
    config = SearchConfig(beams=1)
    search, generator = begin(config, separators, "cpu"), torch.Generator().manual_seed(seed)
    search.integers.fill_(7)  # left by older windows
    search.floats.fill_(-1.0)
    for _ in range(steps):
        search.read(*candidates(config, generator))
    return search.logs(range(SLOTS - 1))


@pytest.mark.parametrize("separators", [NO_SEPARATORS, 0, 2])
@pytest.mark.parametrize("steps", [1, 2, 6, MOST + 3])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_greedy_results_of_all_windows_are_those_of_each(separators, steps, alpha):
    config = SearchConfig(beams=1, alpha=alpha)
    for seed in range(5):
        logs = logs_after(steps, separators, seed)
        each = [logs._of(window).results(config) for window in range(SLOTS - 1)]
        assert logs.results(config) == each


def test_some_windows_end_by_themselves_and_some_are_cut():
    results = logs_after(MOST + 3, 2, 0).results(SearchConfig(beams=1))
    assert {one.stop for found in results for one in found} == {EOS, None}
