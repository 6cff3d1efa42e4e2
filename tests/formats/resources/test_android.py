# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""String resources of Android, and the plural rules of Apple."""

import plistlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.resources.android import Android
from longways.formats.resources.stringsdict import Stringsdict
from tests.formats.resources.translating import bracketed, kept, read, texts, translated

FOLDER = Path(__file__).parents[1] / "files"
STRINGS = (FOLDER / "android" / "strings.xml").read_text(encoding="utf-8")
RULES = (FOLDER / "stringsdict" / "Localizable.stringsdict").read_text(encoding="utf-8")


def resources(content):
    return f"<resources>{content}</resources>"


def one(content, *marks, new="new"):
    """A string after its passage was exchanged."""
    document = read(Android(), resources(f'<string name="a">{content}</string>'))
    written = document.write([Passage(new, marks)], "en").decode()
    return written.removeprefix('<resources><string name="a">').removesuffix(
        "</string></resources>"
    )


def test_names_quantities_and_comments_stay():
    new = translated(Android(), STRINGS)
    old, found = ElementTree.fromstring(STRINGS), ElementTree.fromstring(new)
    assert [(e.tag, e.attrib) for e in found.iter()] == [(e.tag, e.attrib) for e in old.iter()]
    assert "<!-- 应用的名字 -->" in new
    assert '<string name="app_name" translatable="false">文件管家</string>' in new
    assert '<string name="alias">@string/app_name</string>' in new
    assert "<item>[星期一]</item><item>@string/tuesday</item><item>Wed</item>" in new
    assert '<item quantity="other">[%d 个文件]</item>' in new
    assert '<string name="all"><b>[全部]</b></string>' in new
    assert '<string name="quoted">"[不能  打开\'文件\']"</string>' not in new  # one space
    assert '<string name="quoted">"[不能 打开\'文件\']"</string>' in new
    assert "\n        [第一行 第二行]\n    </string>" in new


def test_tags_are_marks_and_placeholders_are_kept():
    passage = read(Android(), STRINGS).passages[0]
    assert passage.text == "你好，%1$s！\n有 %2$d 个文件。"
    assert kept(passage) == ["%1$s", "%2$d"]
    assert [passage.text[m.start : m.end] for m in passage.marks] == ["%1$s", "", "%2$d"]


def test_marks_are_written_where_they_are():
    assert one("你好，<b>世界</b>", Mark(6, 11, 0), new="Hello world!") == "Hello <b>world</b>!"
    assert one("甲<b>乙<i>丙</i></b>丁", Mark(0, 3, 0), Mark(3, 3, 1), new="abcd") == (
        "<b>abc<i></i></b>d"
    )
    assert one("甲<b>乙</b>丙<i>丁</i>", Mark(0, 2, 0), Mark(1, 4, 1), new="abcd") == (
        "<b>a</b><i>bcd</i>"
    )


@pytest.mark.parametrize(
    ("source", "new", "written"),
    [
        ("保存", 'don\'t "x" \\', 'don\\\'t \\"x\\" \\\\'),
        ('"保存"', "don't", '"don\'t"'),
        ("保存", "@home & <b>", "\\@home &amp; &lt;b>"),
        ("保存", "?", "\\?"),
        ("<![CDATA[保存<b>]]>", "it's <b> & ]]>", "<![CDATA[it\\'s <b> & ]]]]><![CDATA[>]]>"),
        (
            '<![CDATA[<a href="x">甲</a>]]>',
            '<a href="x">it\'s</a>',
            '<![CDATA[<a href="x">it\\\'s</a>]]>',
        ),
        ('&lt;a href=\\"x\\">甲&lt;/a>', '<a href=\\"x\\">a</a>', '&lt;a href=\\"x\\">a&lt;/a>'),
        (" <!-- 注 --> 保存 ", "save", " <!-- 注 --> save "),
        ("\\n保存\\n", "save", "\\nsave\\n"),
    ],
)
def test_new_text_is_escaped(source, new, written):
    assert one(source, new=new) == written


def test_what_the_encoding_lacks_becomes_a_reference():
    text = f'<?xml version="1.0" encoding="gb2312"?>\n{resources("<string>保存</string>")}'
    document = read(Android(), text.encode("gb2312"))
    new = document.write([Passage("ß保")], "de").decode("gb2312")
    assert new == text.replace("保存", "&#223;保")


def test_escapes_are_read():
    assert texts(Android(), STRINGS)[2] == "它's 保@存 <b>文件</b> & 更多"


@pytest.mark.parametrize("form", [Android(), Stringsdict()])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "not well-formed XML (no element found)"),
        ("<resources><string>甲</resources>", "Line 1, column 23: the file is not well-formed"),
        ("<svg/>", "is <svg>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><resources/>', "declares entities"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "declares entities"),
        ("<a>" * 5000 + "</a>" * 5000, "more than 256 deep"),
        ("<resources>&nosuch;</resources>", "undefined entity"),
    ],
)
def test_what_is_wrong_is_named(form, data, said):
    with pytest.raises(FormatError) as error:
        read(form, data)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_the_forms_of_apple_plurals_are_translated_and_types_stay():
    old, new = (plistlib.loads(t.encode()) for t in (RULES, translated(Stringsdict(), RULES)))
    assert new["文件数"]["NSStringLocalizedFormatKey"] == "[共有 %#@files@ & 更多]"
    assert new["文件数"]["files"] == old["文件数"]["files"] | {
        "zero": "[没有文件]",
        "other": "[%d 个文件\n第二行]",
    }
    assert kept(read(Stringsdict(), RULES).passages[0]) == ["%#@files@"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_the_encoding_stays(encoding):
    data = resources('<string name="a">保存</string>').encode(encoding)
    document = read(Android(), data)
    written = document.write([bracketed(document.passages[0])], "en")
    assert written.decode(encoding) == resources('<string name="a">[保存]</string>')
