"""Results of many windows at once equal the results of each window's own log."""

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_beam_search import NO_SEPARATORS
from longways.decoding.gpu.device_results import DeviceResults
from longways.text.tokenizers.special_tokens import EOS
from tests.decoding.searching import MAX_TOKENS, SLOTS, begin, candidates


def logs_after(steps: int, separators: int, seed: int) -> DeviceResults:
    config = SearchConfig(beams=1)
    search, generator = begin(config, separators, "cpu"), torch.Generator().manual_seed(seed)
    search.integers.fill_(7)  # stale numbers of earlier windows
    search.floats.fill_(-1.0)
    for _ in range(steps):
        search.step(*candidates(config, generator))
    return search.results(range(SLOTS - 1))


@pytest.mark.parametrize("separators", [NO_SEPARATORS, 0, 2])
@pytest.mark.parametrize("steps", [1, 2, 6, MAX_TOKENS + 3])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_greedy_results_of_all_windows_equal_those_of_each_log(separators, steps, alpha):
    config = SearchConfig(beams=1, alpha=alpha)
    for seed in range(5):
        logs = logs_after(steps, separators, seed)
        each = [logs.log_of(window).results(config) for window in range(SLOTS - 1)]
        assert logs.results(config) == each


def test_some_hypotheses_end_and_some_are_cut_at_the_limit():
    results = logs_after(MAX_TOKENS + 3, 2, 0).results(SearchConfig(beams=1))
    assert {one.stop for found in results for one in found} == {EOS, None}
