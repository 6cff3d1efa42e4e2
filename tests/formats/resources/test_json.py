# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""JSON and ARB files of texts."""

import json
from pathlib import Path

import pytest

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.resources.json_file import Arb, Json
from tests.formats.resources.translating import kept, read, texts, translated

FOLDER = Path(__file__).parents[1] / "files"
APP = (FOLDER / "json" / "app.json").read_text(encoding="utf-8")


def shape(value):
    """A value with all strings alike."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return "" if isinstance(value, str) else value


def test_keys_order_numbers_and_nesting_stay():
    new = json.loads(translated(Json(), APP))
    assert shape(new) == shape(json.loads(APP))
    assert list(new) == list(json.loads(APP))
    assert new["menu"] == ["[打开]", "[保存]", "Exit", ["[另存为…]", {"more": "[更多]"}]]


@pytest.mark.parametrize("key", ["version", "icon", "color", "dateFormat", "home"])
def test_addresses_colours_and_patterns_of_dates_stay(key):
    assert json.loads(translated(Json(), APP))["app"][key] == json.loads(APP)["app"][key]


def test_the_branches_of_plurals_and_selects_are_translated_at_any_depth():
    new = json.loads(translated(Json(), APP))
    assert new["cart"] == (
        "{n, plural, =0 {[购物车是空的]} one {[# 件商品]} other {[# 件商品，共 {sum, number} 元]}}"
    )
    assert new["who"] == (
        "{sex, select, female {{n, plural, other {[她删除了 # 个文件]}}} other {[TA 删除了文件]}}！"
    )


def test_a_plural_inside_a_sentence_stands_in_it_by_its_name():
    text = '{"a": "已选 {n, plural, other {# 项}}，共 {total} 项"}'
    document = read(Json(), text)
    assert [p.text for p in document.passages] == ["已选 {n}，共 {total} 项", "# 项"]
    assert kept(document.passages[0]) == ["{n}", "{total}"]
    new = [Passage("{total} items, of which {n} are selected"), Passage("# items")]
    assert json.loads(document.write(new, "en"))["a"] == (
        "{total} items, of which {n, plural, other {# items}} are selected"
    )


def test_a_plural_whose_name_a_translation_lacks_comes_last():
    document = read(Json(), '{"a": "已选 {n, plural, other {# 项}}"}')
    written = document.write([Passage("Selected } {x "), Passage("# items")], "en")
    assert json.loads(written)["a"] == "Selected ) (x {n, plural, other {# items}}"


def test_text_in_quotes_of_icu_is_kept():
    (passage, _) = read(Json(), """{"a": "用 '{'名字'}' 表示 {n, plural, other {项}}"}""").passages
    assert kept(passage) == ["'{'", "'}'", "{n}"]


def test_the_forms_between_pipes_are_texts_of_their_own():
    assert texts(Json(), '{"a": "没有 | 一个{b | c} | {n} 个"}') == [
        "没有",
        "一个{b | c}",
        "{n} 个",
    ]


def test_placeholders_links_and_tags_are_kept():
    found = {p.text: kept(p) for p in read(Json(), APP).passages}
    linked = next(parts for text, parts in found.items() if text.startswith("请先"))
    assert linked == ["@:app.title", "{{key}}", "$t(menu)"]
    tagged = next(parts for text, parts in found.items() if text.startswith("点击"))
    assert tagged == ['<a href="/help">', "</a>", "<0>", "</0>"]


def test_new_text_is_escaped_as_in_the_file():
    text = '{"a": "\\u4fdd\\u5b58", "b": "\\u003cb\\u003e\\u5220\\u003c\\/b\\u003e"}'
    new = translated(Json(), text, "<é/😀", "\n>")
    assert new.isascii()
    assert json.loads(new)["a"] == "<é/😀保存 >"
    assert "<" not in new
    assert "\\u003c\\u00e9\\/\\ud83d\\ude00\\u4fdd" in new


def test_characters_beyond_ascii_stay_as_they_are_in_a_file_that_has_them():
    assert translated(Json(), '{"a": "保存"}', "é“/", "”") == '{"a": "é“/保存”"}'


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_mark_and_line_ends_stay(mark):
    text = mark + '{\r\n\t"a" : "保存"\r\n}\r\n'
    assert translated(Json(), text) == text.replace("保存", "[保存]")


def test_comments_and_final_commas_stay():
    text = '// 注\n{/* 注 */ "a": "甲", // 注\n "b": ["乙",],}\n'
    assert translated(Json(), text) == text.replace("甲", "[甲]").replace("乙", "[乙]")


def test_a_key_that_is_there_twice_is_named():
    (warning,) = read(Json(), '{"a": "甲",\n"a": "乙"}').warnings
    assert warning.startswith("Line 2: an object has the key 'a' twice")


def test_deep_files_are_read():
    text = '{"a":[' * 50_000 + '"甲"' + "]}" * 50_000
    assert texts(Json(), text) == ["甲"]


def test_lone_surrogates_stay():
    assert texts(Json(), '{"a": "甲\\ud83d", "b": "\\ud83d\\ude00乙"}') == ["😀乙"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Line 1, column 1: a value should be here, but the line or the file ends"),
        ("{'a': '甲'}", "a key in double quotes should be here, but there is \"'a': '甲'}\""),
        ('{"a": "甲"\n"b": 1}', "Line 2, column 1: a comma or } should be here"),
        ('{"a" "甲"}', "a colon should be here"),
        ('{"a": "甲"} {}', "the end of the file should be here"),
        ('["甲", 01]', "a value should be here"),
        ('["甲\n"]', "a value should be here"),
        ('["甲"', "a comma or ] should be here, but the line or the file ends"),
        ('{"cells": [], "nbformat": 4}', "a Jupyter notebook"),
        ('{"name": "a", "dependencies": {}}', "the manifest of a package"),
        ('{"type": "FeatureCollection", "features": []}', "a map"),
        ('{"lockfileVersion": 3}', "a list of the packages"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text, said):
    with pytest.raises(FormatError) as error:
        read(Json(), text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"features": ["甲"], "cells": ["乙"]}',
        '{"name": "名称", "dependencies": {"title": "依赖"}}',
        '{"type": "类型", "lockfileVersion": "版本"}',
    ],
)
def test_texts_under_keys_of_other_files_are_translated(text):
    assert len(texts(Json(), text)) == 2


def test_a_placeholder_between_doubled_apostrophes_keeps_them():
    text = """{"a": "''{name}'' 有 {n, plural, other {# 项}}"}"""
    assert kept(read(Json(), text).passages[0]) == ["''{name}''", "{n}"]


def test_the_metadata_of_flutter_stays_and_its_language_is_set():
    text = (FOLDER / "arb" / "app_zh.arb").read_text(encoding="utf-8")
    old, new = json.loads(text), json.loads(translated(Arb(), text, to="en-GB"))
    assert new["@itemCount"] == old["@itemCount"]
    assert new["@@locale"] == "en_GB"
    assert new["itemCount"] == "{count, plural, =0{[没有文件]} other{[{count} 个文件]}}"
    assert new["greeting"] == "[你好，{name}！]"
