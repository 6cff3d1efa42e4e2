"""Windows that are distributed over threads are decoded as by one decoder."""

import threading

import pytest
import torch

from longways.benchmark.speed.baselines import ConcatenatingDecoder
from longways.benchmark.speed.models import new_model
from longways.benchmark.speed.sharing import distribute_windows
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.windows import Window
from longways.model.config import preset

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 50, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 2, "decoder_layers": 2, "positions": 64,
}  # fmt: skip


def windows(count: int) -> list[Window]:
    """Windows with different sources, most of different lengths."""
    sources = [[*range(4 + i, 14 + 5 * i), 2] for i in range(count)]
    return [Window(source, [1], 12, 12, separators=0) for source in sources]


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize(("count", "threads"), [(5, 2), (7, 3), (2, 2), (1, 2), (4, 1)])
def test_distributed_windows_have_the_same_hypotheses(beams, count, threads):
    decode = ConcatenatingDecoder(
        new_model(preset("transformer", **SIZES), "cpu"), beams=beams
    ).decode
    wanted = decode(windows(count))
    found = distribute_windows(decode, threads)(windows(count))
    assert len({round(one.score, 3) for (one,) in wanted}) == count  # or a mix-up would not show
    for (one,), (other,) in zip(found, wanted, strict=True):
        assert (one.tokens, one.stop) == (other.tokens, other.stop)
        assert one.score == pytest.approx(other.score, abs=1e-4)
        assert one.rank == pytest.approx(other.rank, abs=1e-4)


class Recorder:
    """A decoder that records the windows, the thread and the threads per operation of each call."""

    def __init__(self, together: int):
        self.calls, self.all_here = list[tuple[int, int, int]](), threading.Barrier(together)

    def __call__(self, given):
        self.all_here.wait(timeout=60)  # or one thread might take all windows
        self.calls.append((len(given), threading.get_ident(), torch.get_num_threads()))
        return [[Hypothesis(one.source, 0.0, 0.0, None)] for one in given]


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
def test_each_thread_decodes_its_own_windows_with_one_thread_per_operation():
    recorder = Recorder(2)
    found = distribute_windows(recorder, 2)(windows(5))
    assert sorted(count for count, _, _ in recorder.calls) == [2, 3]
    assert len({thread for _, thread, _ in recorder.calls}) == 2
    assert {own for _, _, own in recorder.calls} == {1}
    assert [one.tokens for (one,) in found] == [window.source for window in windows(5)]
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_fewer_windows_than_threads_are_not_distributed():
    recorder = Recorder(1)
    distribute_windows(recorder, 3)(windows(2))
    assert [(count, own) for count, _, own in recorder.calls] == [(2, 3)]


@pytest.mark.usefixtures("three_threads")
def test_an_error_in_a_thread_is_raised_and_the_number_of_threads_restored():
    def broken(given):
        if len(given) == 2:
            raise MemoryError("too little")
        return [[] for _ in given]

    with pytest.raises(MemoryError, match="too little"):
        distribute_windows(broken, 2)(windows(5))
    assert torch.get_num_threads() == 3
