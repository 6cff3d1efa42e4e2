import os

import pytest

from longways.errors import TextError
from longways.text import worker_processes
from longways.text.worker_processes import spread


def whoami(batch):
    return os.getpid(), batch


def refuse(batch):
    raise TextError(f"no to {batch}")


def die(batch):
    os._exit(len(batch))


@pytest.fixture
def eager(monkeypatch):
    """Start processes for a few small batches."""
    monkeypatch.setattr(worker_processes, "BATCH", 2)
    monkeypatch.setattr(worker_processes, "MIN_BATCHES", 2)
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def test_a_few_batches_are_processed_in_this_process_in_order(monkeypatch):
    monkeypatch.setattr(worker_processes, "BATCH", 2)
    assert list(spread(whoami, range(5))) == [(os.getpid(), b) for b in ([0, 1], [2, 3], [4])]
    assert list(spread(whoami, [])) == []


@pytest.mark.usefixtures("eager")
def test_many_batches_are_processed_by_workers_in_order():
    done = list(spread(whoami, range(51)))
    assert [item for _, batch in done for item in batch] == list(range(51))
    assert os.getpid() not in {process for process, _ in done}


@pytest.mark.usefixtures("eager")
def test_only_a_few_batches_wait_at_a_time():
    taken = []
    results = spread(whoami, (taken.append(i) or i for i in range(1000)))
    next(results)
    assert len(taken) < 50
    results.close()


@pytest.mark.usefixtures("eager")
def test_an_error_in_a_worker_reaches_the_caller():
    with pytest.raises(TextError, match=r"no to \[0, 1\]"):
        list(spread(refuse, range(9)))


@pytest.mark.usefixtures("eager")
def test_a_worker_that_dies_is_explained():
    with pytest.raises(TextError, match="A worker process ended early"):
        list(spread(die, range(9)))
