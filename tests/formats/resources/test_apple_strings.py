# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Strings files of macOS and iOS."""

from pathlib import Path

import pytest

from longways.errors import FormatError
from longways.formats.resources.apple_strings import AppleStrings
from tests.formats.resources.translating import bracketed, kept, read, texts, translated

FOLDER = Path(__file__).parents[1] / "files" / "strings"
TEXT = (FOLDER / "Localizable.strings").read_text(encoding="utf-8")


def test_keys_and_comments_stay():
    assert translated(AppleStrings(), TEXT, "<", '"\\>') == (
        '/* 工具栏的按钮 */\n"Save %@" = "<保存“%@”\\"\\\\>";\n"Open" = "<打开\\"\\\\>";\n'
        '// 不带引号的键\nCFBundleDisplayName = "<文件管理器\\"\\\\>";\n'
        '"Two lines" = "<第一行\\n第二行 \\"引号\\" 保\\"\\\\>";\n'
        '"Count" = "<%1$@ 有 %2$ld 个文件（%%）\\"\\\\>";\n"Same" = "Same";\n'
    )


def test_formats_are_kept():
    assert kept(read(AppleStrings(), TEXT).passages[-1]) == ["%1$@", "%2$ld", "%%"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_the_encoding_stays(encoding):
    data = TEXT.encode(encoding)
    document = read(AppleStrings(), data)
    new = [bracketed(passage) for passage in document.passages]
    written = document.write(new, "en")
    assert written.decode(encoding) == translated(AppleStrings(), TEXT)
    assert written[:2] == data[:2]


def test_a_key_that_is_there_twice_is_named():
    (warning,) = read(AppleStrings(), '"a" = "甲";\n"a" = "乙";').warnings
    assert warning.startswith('Line 2: the key "a" is there twice')


def test_a_key_alone_and_a_list_are_left_or_refused():
    assert texts(AppleStrings(), '"甲";\n"a" = \'乙\\\'\';\nb = 丙;') == ["乙'"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"a" = "甲"\n"b" = "乙";', "Line 2: a semicolon should be here"),
        ('"a" = ;', "Line 1: a value in double quotes should be here"),
        ('"a" = "甲;', "a value in double quotes should be here"),
        ('\n/* 注 "a" = "甲";', "Line 2: a key should be here"),
        ('<?xml version="1.0"?><plist/>', "XML property list"),
        ("bplist00", "XML property list"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, said):
    with pytest.raises(FormatError) as error:
        read(AppleStrings(), text)
    assert said in str(error.value)
