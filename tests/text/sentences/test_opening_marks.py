"""Spaces inside of brackets and tags."""

import time

import pytest

from longways.text.sentences.opening_marks import without_space_inside_tags


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        (
            "请<a href='x'>申请</a>。",
            "Please <a href='x'> apply </a>.",
            "Please <a href='x'>apply</a>.",
        ),
        ("<b>甲</b>和<b> 乙 </b>", "<b> A</b> and <b> B </b>", "<b> A</b> and <b> B </b>"),
        ("<b>甲</b>", "<b>A </b>", "<b>A</b>"),
        ("<p> 标签用</p>结束", "The <p> tag ends with </p>", "The <p> tag ends with</p>"),
        ("若 a < b", "If a < b > c", "If a < b > c"),
        ("<i>甲<br>乙</i>", "<i> A <br> B </i>", "<i> A <br> B </i>"),
    ],
)
def test_tags_have_no_more_space_inside_than_in_the_source(source, translation, wanted):
    assert without_space_inside_tags(translation, source) == wanted


def test_time_is_linear_in_the_length():
    text = "<b> " * 20_000 + " " * 20_000
    start = time.perf_counter()
    assert without_space_inside_tags(text, "<b></b>") == text
    assert time.perf_counter() - start < 2
