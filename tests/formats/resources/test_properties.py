# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Java properties."""

import re
from pathlib import Path

import pytest

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.resources.properties import Properties
from tests.formats.resources.translating import kept, read, texts, translated

FOLDER = Path(__file__).parents[1] / "files" / "properties"


NAMES = {"n": "\n", "t": "\t"}


def unescaped(escape):
    """What an escape stands for."""
    return chr(int(escape[1], 16)) if escape[1] else NAMES.get(escape[2], escape[2])


def loaded(text):
    """The pairs that another reader, written after the documentation of Java, finds."""
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\(?:\r\n|\n|\r)[ \t\f]*", r"\1", text)
    pairs = {}
    for line in re.split(r"[\r\n]+", joined):
        if line.strip(" \t\f") and line.lstrip(" \t\f")[0] not in "#!":
            pair = r"[ \t\f]*((?:\\.|[^\\=:\s])*)[ \t\f]*[=:]?[ \t\f]*(.*)"
            key, value = re.fullmatch(pair, line).groups()
            pairs[key] = re.sub(r"\\(?:u(....)|(.))", unescaped, value)
    return pairs


def test_keys_comments_and_order_stay():
    text = (FOLDER / "messages.properties").read_text(encoding="utf-8")
    new = loaded(translated(Properties(), text))
    assert list(new) == list(loaded(text))
    assert new["app.saved"] == "[已保存 {0}，用时 {1} 秒。谢谢。]"
    assert new["app.lines"] == "[第一行\n第二行]"
    assert new["app.path"] == "/usr/share/files"
    assert new["app.choice"] == "{0,choice,0#[没有文件]|1#[一个文件]|1<[{0} 个文件]}"
    assert translated(Properties(), text).startswith("# 应用的文字\n! 第二种注释\n")


def test_apostrophes_are_doubled_in_patterns_of_message_format():
    document = read(Properties(), "a=打开 {0}\nb=不能打开 '{0}'\nc=打开\n")
    assert [kept(p) for p in document.passages] == [["{0}"], ["'{0}'"], []]
    new = [Passage("don't open '{0}"), Passage("can't open '{0}'"), Passage("don't")]
    assert document.write(new, "en").decode() == (
        "a=don''t open ''{0}\nb=can''t open '{0}'\nc=don't\n"
    )


def test_a_placeholder_between_apostrophes_is_not_quoted():
    text = "a=打开 ''{0}''，\nb=<a href=''{0}''>打开</a> '{'\n"
    document = read(Properties(), text)
    assert [kept(p) for p in document.passages] == [["'{0}'"], ["<a href='{0}'>", "</a>", "'{'"]]
    assert translated(Properties(), text) == text.replace(
        "打开 ''{0}''，", "[打开 ''{0}''，]"
    ).replace("<a href=''{0}''>打开</a> '{'", "[<a href=''{0}''>打开</a> '{']")


def test_doubled_apostrophes_are_read_as_one_in_patterns_only():
    assert texts(Properties(), "a=它''在 {0}\nb=它是 {0}\n") == ["它'在 {0}", "它是 {0}"]
    assert texts(Properties(), "a=它''在") == ["它'在"]
    assert texts(Properties(), "a=它'在") == ["它'在"]


def test_a_file_in_ascii_gets_escapes():
    data = (FOLDER / "ascii.properties").read_bytes()
    new = translated(Properties(), data, "é: ", "😀")
    assert new == (
        "# ASCII\nsave=\\u00e9\\: \\u4fdd\\u5b58 {0}\\ud83d\\ude00\n"
        "key\\:one=\\u00e9\\: \\u5220\\u9664\\ud83d\\ude00\n"
    )


def test_a_file_in_iso_8859_1_is_read_and_written_in_it():
    data = "# Größe\na=\\u4FDD ü\n".encode("iso-8859-1")
    document = read(Properties(), data)
    assert document.write([Passage("ß€")], "de") == "# Größe\na=\\u00DF\\u20AC\n".encode(
        "iso-8859-1"
    )


def test_another_encoding_is_named():
    with pytest.raises(FormatError, match="--encoding gb18030"):
        read(Properties(), "a=保存文件，打开文件\n".encode("gb18030"))
    text = "a=保存文件\n"
    assert texts(Properties(), text) == ["保存文件"]


def test_continued_lines_before_and_after_a_value_stay():
    text = "a = \\\n   保存\\\n   文件 \\\n\nb\\\n c 打开\n"
    assert translated(Properties(), text) == "a = \\\n   [保存文件] \\\n\nb\\\n c [打开]\n"


def test_a_key_that_is_there_twice_is_named():
    (warning,) = read(Properties(), "a=甲\nb=乙\na=丙\n").warnings
    assert warning.startswith("Line 3: the key 'a' is there twice")


@pytest.mark.parametrize("text", ["", "# 注\n", "a\n", "=\n", "\\"])
def test_a_file_without_texts_is_left_as_it_is(text):
    document = read(Properties(), text)
    assert document.passages == []
    assert document.write([], "en") == text.encode()
