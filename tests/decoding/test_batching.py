"""Several threads search the windows of a batch and find the same as one thread."""

import threading

import numpy as np
import pytest

from longways.decoding import batching as decoding
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.windows import Pair, sliding_window
from longways.errors import WindowError
from tests.decoding.exported import KINDS, exported
from tests.decoding.tiny import random_sentences


def windows(count):
    """Windows of several lengths, each with a context of its own."""
    rng, length = np.random.default_rng(3), LengthConfig(ratio=0.0, extra=8)
    found = []
    for _ in range(count):
        source, target, sentence = random_sentences(3, rng, longest=5)
        found.append(sliding_window([Pair(source, target)], sentence, length, positions=40))
    return found


def config(beams):
    return TranslateConfig(search=SearchConfig(beams=beams, nbest=min(beams, 2)))


@pytest.fixture
def searches(monkeypatch):
    """Names of the threads that searched."""
    names, search = [], decoding.beam_search

    def noted(*given):
        names.append(threading.current_thread().name)
        return search(*given)

    monkeypatch.setattr(decoding, "beam_search", noted)
    return names


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_each_thread_finds_for_its_windows_what_all_find_together(kind, beams, int8, searches):
    """Bit-identical except with random maps, whose sums ONNX Runtime computes in varying order."""
    given, few = windows(24), exported(kind, int8=int8)
    pairs = [decode(few, given[i : i + 2], config(beams)) for i in range(0, 24, 2)]
    together = [found for pair in pairs for found in pair]
    assert len(searches) == 12
    apart = decode(exported(kind, int8=int8, threads=2), given, config(beams))
    assert len(searches) == 14
    for one, other in zip(together, apart, strict=True):
        assert [h.tokens for h in one] == [h.tokens for h in other]
        np.testing.assert_allclose([h.score for h in one], [h.score for h in other], atol=1e-5)
        if kind in ("learned", "spiky"):
            assert one == other


@pytest.mark.parametrize(
    ("count", "beams", "threads", "wanted"),
    [
        (16, 1, 2, 2),
        (15, 1, 2, 1),  # too few beams for each thread
        (4, 4, 2, 2),
        (5, 4, 2, 1),  # one thread would have 1.5 times as many windows as the other
        (11, 4, 2, 2),
        (8, 1, 1, 1),
        (12, 3, 3, 3),
        (2, 12, 3, 1),  # no window for the third thread
    ],
)
def test_each_thread_searches_where_there_are_enough_beams(count, beams, threads, wanted, searches):
    found = decode(exported("spiky", threads=threads), windows(count), config(beams))
    assert len(found) == count
    assert all(found)
    assert len(searches) == wanted


def test_an_error_in_one_search_ends_the_others_and_is_raised(monkeypatch):
    runtime, ended = exported("spiky", threads=2), []
    search, meeting = decoding.beam_search, threading.Barrier(2, timeout=30)

    def failing(runtime, memory, prefixes, limits, config, stop):
        if meeting.wait() == 0:
            raise WindowError("too long")
        stop.wait(30)  # returns when it is set, not after 30 seconds
        ended.append(stop.is_set())
        return search(runtime, memory, prefixes, limits, config, stop)

    monkeypatch.setattr(decoding, "beam_search", failing)
    with pytest.raises(WindowError, match="too long"):
        decode(runtime, windows(16), config(4))
    assert ended == [True]


def test_a_search_that_is_told_to_stop_takes_no_step(monkeypatch):
    runtime, stop = exported("spiky"), threading.Event()
    stop.set()
    monkeypatch.setattr(runtime, "step", None)  # a call would fail
    assert decoding._decode(runtime, windows(3), config(2), stop) == [[], [], []]
