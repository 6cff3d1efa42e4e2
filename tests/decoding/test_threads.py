"""A thread pool makes every call once and raises the error of a call."""

import threading

import pytest

from longways.decoding.threads import ThreadPool, available_cores, even_slices, shared_thread_pool


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("calls", [0, 1, 2, 7])
def test_every_call_is_made_once(threads, calls):
    made = [0] * calls

    def call(number):
        made[number] += 1

    ThreadPool(threads).run([lambda n=n: call(n) for n in range(calls)])
    assert made == [1] * calls


def test_calls_are_made_at_the_same_time():
    """Each waits for the others, which a single thread could never do."""
    meeting = threading.Barrier(3, timeout=30)
    ThreadPool(3).run([meeting.wait] * 3)
    assert not meeting.broken


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_is_raised_when_the_others_are_done(bad):
    """In the caller's own thread, or in another."""
    meeting, over = threading.Barrier(2, timeout=30), threading.Event()
    mine = threading.get_ident()

    def call():
        meeting.wait()
        if (threading.get_ident() == mine) == (bad == 0):
            raise ValueError("bad")
        over.set()

    with pytest.raises(ValueError, match="bad"):
        ThreadPool(2).run([call, call])
    assert over.is_set()


@pytest.mark.parametrize("threads", [1, 2])
def test_after_an_error_no_other_call_is_begun(threads):
    made, meeting = [], threading.Barrier(threads, timeout=30)

    def fail():
        meeting.wait()  # all are busy with this
        raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"):
        ThreadPool(threads).run([fail] * threads + [lambda: made.append(1)] * 9)
    assert not made


def test_there_is_one_shared_pool_of_each_size():
    assert shared_thread_pool(2) is shared_thread_pool(2)
    assert shared_thread_pool(2).threads == 2


def test_there_is_at_least_one_core(monkeypatch, tmp_path):
    assert available_cores() >= 1
    smt = tmp_path / "active"
    smt.write_text("1\n")
    monkeypatch.setattr("longways.decoding.threads._SMT", smt)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(8), raising=False)
    assert available_cores() == 4
    smt.write_text("0\n")
    assert available_cores() == 8


@pytest.mark.parametrize(("count", "parts"), [(0, 2), (1, 2), (7, 2), (7, 3), (8, 4)])
def test_slices_are_whole_and_even(count, parts):
    found = even_slices(count, parts)
    assert [n for part in found for n in range(count)[part]] == list(range(count))
    sizes = [len(range(count)[part]) for part in found]
    assert len(sizes) == min(count, parts)
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
