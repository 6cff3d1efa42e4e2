"""Windows submitted one by one come back with their hypotheses, each under its key."""

import pytest

from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.searcher import HostSearcher, open_searcher, search_all
from tests.decoding.test_batching import windows
from tests.decoding.tiny import tiny_runtime

CONFIG = TranslateConfig(search=SearchConfig(beams=2), windows=3)


@pytest.fixture(scope="module")
def runtime():
    return tiny_runtime("rfa-sgate")


def test_windows_wait_for_those_before_and_are_searched_in_batches(runtime):
    searcher, given = HostSearcher(runtime, CONFIG), windows(5)
    for number, window in enumerate(given[:4]):
        searcher.submit(10 * number, window)
    first = searcher.wait()
    searcher.submit(1, given[4])
    assert len(first) == 3
    assert searcher.pending == 2
    (second,), (third,) = searcher.wait(), searcher.wait()
    assert {key for key, _ in first} | {second[0]} == {0, 10, 20, 30}
    assert third[0] == 1
    assert searcher.pending == 0


def test_all_windows_are_searched_and_returned_with_their_index(runtime):
    given = windows(8)
    wanted = [decode(runtime, [window], CONFIG)[0][0].tokens for window in given]
    found = dict(search_all(runtime, given, CONFIG))
    assert [found[place][0].tokens for place in range(8)] == wanted


def test_on_a_cpu_the_host_searches(runtime):
    assert isinstance(open_searcher(runtime, CONFIG), HostSearcher)
