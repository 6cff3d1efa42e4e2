"""Sentences whose marks wait for their alignment."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import longways
from longways.formats.base import Mark, Passage
from longways.translation.markup.alignment import Aligner, all_found, find_kept
from longways.translation.markup.passages import Passages
from longways.translation.markup.waiting import MAX_WAITING

SENTENCES = ["控制节点负责管理集群的状态。", "请检查数据库的备份。", "更新 %s 时停止所有容器。"]


@pytest.fixture(scope="module")
def translator():
    return longways.load(threads=1)


def opened(translator, passages):
    aligner = Aligner(translator.runtime, translator.model.text)
    found = Passages(passages, "zh", "en", aligner)
    return found, translator.segments([found.segments()], beam=1)


def marked(text):
    keep = ((text.index("%s"), text.index("%s") + 2),) if "%s" in text else ()
    return Passage(text, (Mark(0, 4, 0), Mark(6, len(text) - 1, 1)), keep)


def test_a_preview_has_the_marks_that_the_whole_file_will_have(translator):
    passages = [marked(text) for text in SENTENCES] + [
        Passage("".join(SENTENCES[:2]), (Mark(2, 20, 0),))
    ]
    whole, segments = opened(translator, passages)
    for ready in segments:
        whole.add(ready)
    wanted = whole.finish()
    found, segments = opened(translator, passages)
    for ready in segments:
        found.add(ready)
        preview = found.so_far()
        done = sum(one is not given for one, given in zip(preview, passages, strict=True))
        assert preview == [*wanted[:done], *passages[done:]]
    assert found.finish() == wanted
    assert done == len(passages)
    assert all(
        len(one.marks) == len(given.marks) for one, given in zip(wanted, passages, strict=True)
    )


def test_no_more_than_the_limit_wait(translator, monkeypatch):
    monkeypatch.setattr("longways.translation.markup.waiting.MAX_WAITING", 2)
    found, segments = opened(translator, [marked(text) for text in SENTENCES[:2] * 3])
    waited = []
    for ready in segments:
        found.add(ready)
        waited.append(len(found.marks))
    assert max(waited) == 1
    assert len(found.finish()) == 6
    assert MAX_WAITING > 2


def test_a_failed_alignment_can_be_tried_again(translator, monkeypatch):
    """A job that is interrupted meanwhile still writes what is translated."""
    found, segments = opened(translator, [marked(SENTENCES[0])])
    for ready in segments:
        found.add(ready)
    with monkeypatch.context() as patch:
        patch.setattr(Aligner, "align_all", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            found.so_far()
    assert [len(one.marks) for one in found.so_far()] == [2]
    assert found.so_far()[0].text != SENTENCES[0]


def test_a_translation_that_lacks_a_placeholder_is_not_found_for_sure():
    assert all_found("ab", "b a", [(0, 1), (1, 2)])
    assert not all_found("ab", "b", [(0, 1)])
    assert not all_found("ab", "a a", [(0, 1)])  # which of them is it?
    assert not all_found("aba", "ab a", [(0, 2), (2, 3)])  # the a of ab is no a


@settings(max_examples=300, deadline=None)
@given(st.text("ab ", max_size=8), st.text("ab ", max_size=8), st.randoms(), st.integers(0, 9))
def test_placeholders_that_are_all_found_are_so_with_any_attention(source, target, draw, seed):
    places = sorted(draw.sample(range(len(source) + 1), min(4, len(source) + 1) // 2 * 2))
    keep = list(zip(places[::2], places[1::2], strict=True))
    if all_found(source, target, keep):
        shares = np.random.default_rng(seed).random((len(target), len(source)))
        assert find_kept(source, target, keep, shares)[1] == []
        assert find_kept(source, target, keep)[1] == []
