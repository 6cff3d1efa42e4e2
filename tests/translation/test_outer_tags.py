"""Tags around sentences."""

import time

import pytest

from longways.formats.placeholders import kept_parts
from longways.text.sentences.splitter import split_text
from longways.translation.outer_tags import without_outer_tags


def core(text):
    start, end = without_outer_tags(text, (0, len(text)), kept_parts(text))
    return text[start:end]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<span class='ok'>已启用</span>", "已启用"),
        ('<option value=">"> 大于 </option>', "大于"),
        ("<div><p>请<b>命名</b>文件。</p></div>", "请<b>命名</b>文件。"),
        ('<div class="page">共 5 条', "共 5 条"),
        ("页</div>", "页"),
        ("<div><p>标题</p>", "标题"),
        ("<p></p>", ""),
        ("<b></b>", ""),
        ("<DIV id=a>甲</DIV>", "甲"),
    ],
)
def test_tags_around_a_sentence_are_not_in_it(text, sentence):
    assert core(text) == sentence


@pytest.mark.parametrize(
    "text",
    [
        "<p> 标签表示段落。",
        "段落的标签是 <p>",
        "用 </p> 结束",
        "<b>甲</b>和<b>乙</b>",
        "<a href='{url}'>申请</a>。",
        "没有标签。",
        "结束标签 </div>",
        "<br/>换行<br/>",
        "{a}甲{b}",
    ],
)
def test_a_tag_that_is_a_part_of_the_sentence_stays(text):
    assert core(text) == text


def test_each_block_is_a_sentence_of_its_own():
    text = "<div><p>甲</p> <p class='x'>乙</p></div><ul><li>丙</li></ul>用<b>丁</b><i>戊</i>"
    parts = [segment.text + segment.after for segment in split_text(text, "zh")]
    assert parts == [
        "<div><p>甲</p> ",
        "<p class='x'>乙</p></div>",
        "<ul><li>丙</li></ul>用<b>丁</b><i>戊</i>",
    ]


def test_time_is_linear_in_the_number_of_tags():
    text = "<div a='b'>" * 1_500 + "字" + "</div>" * 1_500
    start = time.perf_counter()
    assert core(text) == "字"
    assert time.perf_counter() - start < 2
