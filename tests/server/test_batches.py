"""Requests that wait are translated together, each as if it were alone."""

from threading import Event

import pytest

from longways.errors import LongwaysError
from longways.server import batches
from longways.server.batches import Batcher, Wanted
from longways.server.errors import RequestError

TEXTS = ["打开终端。", ["运行它。", "然后关闭它。"], "", "第一章\n\n安装 8 GB 内存。", ["完成。"]]
FAST = Wanted(beam=1)


@pytest.fixture
def batcher(translator):
    found = Batcher(translator, max_waiting=50)
    yield found
    found.close()


@pytest.fixture
def held(monkeypatch):
    """Threads of batchers wait until `held.set()`; `held.sizes` has the sizes of their batches."""
    gate, answer = Event(), batches._answer
    gate.sizes, gate.begun = [], Event()

    def slow(translator, works):
        gate.begun.set()
        gate.wait(30)
        gate.sizes.append(len(works))
        answer(translator, works)

    monkeypatch.setattr(batches, "_answer", slow)
    return gate


def test_many_requests_have_the_translations_of_each_alone(batcher, translator, held):
    first = batcher.submit(["你好。"], FAST)
    held.begun.wait(30)
    futures = [batcher.submit([text], FAST) for text in TEXTS * 3]
    held.set()
    assert [f.result(60) for f in futures] == [[translator.translate(t, beam=1)] for t in TEXTS * 3]
    assert first.result() == [translator.translate("你好。", beam=1)]
    assert held.sizes == [1, 15]


def test_requests_with_other_options_are_translated_apart(batcher, translator, held):
    wide = Wanted(beam=2, glossary=(("终端", "console"),))
    futures = [batcher.submit([TEXTS[0]], one) for one in (FAST, FAST, wide, FAST)]
    held.set()
    found = [future.result(60)[0] for future in futures]
    assert "console" in found[2]
    assert found[0] == found[1] == found[3] == translator.translate(TEXTS[0], beam=1)
    assert sum(held.sizes) == 4
    assert len(held.sizes) >= 3


def test_an_error_stays_with_its_request(batcher, translator, held):
    wrong = [["运行它。", 5.0, "关闭。"]]
    work = batches.Work(wrong, FAST, 1)
    first = batcher.submit(["你好。"], FAST)
    held.begun.wait(30)
    batcher._waiting.append(work)
    last = batcher.submit([TEXTS[0]], FAST)
    held.set()
    assert first.result(60) == [translator.translate("你好。", beam=1)]
    with pytest.raises(LongwaysError, match=r"Sentence 2 is 5\.0"):
        work.result.result(60)
    assert last.result(60) == [translator.translate(TEXTS[0], beam=1)]
    assert held.sizes == [1, 2]


def test_a_cancelled_request_is_not_translated(batcher, held):
    first = batcher.submit(["你好。"], FAST)
    held.begun.wait(30)
    second = batcher.submit(["你好。"], FAST)
    assert second.cancel()
    held.set()
    assert first.result(60)
    batcher.close()
    assert second.cancelled()


def test_a_full_queue_and_a_closed_one_refuse_in_words(translator, held):
    batcher = Batcher(translator, max_waiting=2)
    futures = [batcher.submit(["你好。"], FAST)]
    held.begun.wait(30)
    futures += [batcher.submit(["你好。"], FAST) for _ in range(2)]
    with pytest.raises(RequestError, match="2 requests are waiting already") as found:
        batcher.submit(["你好。"], FAST)
    assert (found.value.status, found.value.retry_seconds) == (503, 1)
    held.set()
    batcher.close()
    assert all(future.result() for future in futures)
    with pytest.raises(RequestError, match="The server is stopping"):
        batcher.submit(["你好。"], FAST)
