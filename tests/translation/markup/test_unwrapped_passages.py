"""Line ends that mean no more than a space."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage
from longways.text.sentences.splitter import split_text
from longways.translation.markup.passages import keep_whole, unwrap


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("zh", "打开\n终端", "打开终端"),
        ("zh", "运行 \r\n  kubectl\n命令", "运行kubectl命令"),
        ("en", "open the\nterminal", "open the terminal"),
        ("zh-CN", "一\n二", "一二"),
        ("en", "as it is", "as it is"),
    ],
)
def test_a_line_end_is_what_it_means(language, text, wanted):
    assert unwrap(Passage(text), language).text == wanted


@given(st.text("ab \n中", max_size=20), st.data())
def test_marks_and_kept_parts_enclose_what_they_did(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = unwrap(Passage(text, (Mark(start, end, 3),), ((start, end),)), "en")
    (mark,) = found.marks
    assert found.keep == ((mark.start, mark.end),)
    seen = found.text[mark.start : mark.end]
    assert "".join(seen.split()) == "".join(text[start:end].split())


def test_no_sentence_ends_inside_of_what_is_kept():
    text = "运行 `a。b。` 以后。打开 x。"
    keep = ((3, 9), (16, 17))
    segments = list(keep_whole(split_text(text, "zh"), keep))
    assert "".join(one.text + one.after for one in segments) == text
    kept = [one.text[a:b] for one in segments for a, b in one.keep]
    assert kept == ["`a。b。`", "x"]
    assert len(segments) == 2


def test_what_is_kept_to_the_end_of_a_text_is_there():
    segments = list(keep_whole(split_text("好。`一。二。`", "zh"), ((2, 8),)))
    assert [(one.text, one.keep) for one in segments] == [("好。", ()), ("`一。二。`", ((0, 6),))]
