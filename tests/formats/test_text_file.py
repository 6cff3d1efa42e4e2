"""Text files in the encoding that the user names, in every format."""

import pytest

from longways.errors import FormatError
from longways.formats.asciidoc.format import AsciiDoc
from longways.formats.base import Passage
from longways.formats.docx.format import Docx
from longways.formats.html.format import Html
from longways.formats.latex.format import Latex
from longways.formats.markdown.format import Markdown
from longways.formats.notebook.format import Notebook
from longways.formats.org.format import Org
from longways.formats.po.catalogue import Po
from longways.formats.qt.format import QtLinguist
from longways.formats.registry import PACKAGES, known_formats
from longways.formats.resources.android import Android
from longways.formats.resources.apple_strings import AppleStrings
from longways.formats.resources.json_file import Arb, Json
from longways.formats.resources.properties import Properties
from longways.formats.resources.stringsdict import Stringsdict
from longways.formats.rst.format import Rst
from longways.formats.subtitles.ass import Ass
from longways.formats.subtitles.srt import Srt
from longways.formats.subtitles.vtt import WebVtt
from longways.formats.tables.format import Csv, Tsv
from longways.formats.text_file import codec_of, read_text
from longways.formats.xliff.format import Xliff
from longways.formats.yaml.format import Yaml
from tests.formats.docx.docx_files import body, package, paragraph, run

XLIFF = '<xliff version="1.2">'
FILES = [
    (Srt(), "1\n00:00:01,000 --> 00:00:02,000\n{}\n"),
    (WebVtt(), "WEBVTT\n\n00:01.000 --> 00:02.000\n{}\n"),
    (Po(), 'msgid ""\nmsgstr "Content-Type: x; charset=UTF-8\\n"\n\nmsgid "{}"\nmsgstr ""\n'),
    (Markdown(), "# {}\n"),
    (Latex(), "\\section{{{}}}\n"),
    (AsciiDoc(), "= {}\n"),
    (Rst(), "{}\n==========\n"),
    (Org(), "* {}\n"),
    (Html(), '<meta charset="utf-8"><p>{}</p>\n'),
    (Json(), '["{}"]\n'),
    (Arb(), '["{}"]\n'),
    (Properties(), "a={}\n"),
    (AppleStrings(), '"a" = "{}";\n'),
    (Android(), "<resources><string>{}</string></resources>"),
    (QtLinguist(), "<TS><message><source>{}</source></message></TS>"),
    (Yaml(), "a: {}\n"),
    (Xliff(), f"{XLIFF}<file><trans-unit><source>{{}}</source></trans-unit></file></xliff>"),
    (Ass(), "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{}\n"),
    (Csv(), "a,b\n1,{}\n"),
    (Tsv(), "a\tb\n1\t{}\n"),
    (Stringsdict(), "<plist><string>{}</string></plist>"),
    (
        Notebook(),
        '{{"nbformat": 4, "cells": [{{"cell_type": "markdown", "source": "{}"}}]}}\n',
    ),
]
NAMES = [form.name for form, _ in FILES]


def test_these_are_all_formats_but_packages_and_messages_whose_parts_name_their_encodings():
    assert sorted(NAMES) == sorted(
        form.name for form in known_formats() if form.name not in (*PACKAGES, "eml")
    )


@pytest.mark.parametrize(("form", "text"), FILES, ids=NAMES)
@pytest.mark.parametrize("encoding", ["gb18030", "GBK", "utf-16-be", "utf-16", "utf-8-sig"])
def test_the_encoding_that_the_user_names_is_read_and_written_to_the_byte(form, text, encoding):
    whole = text.format("天地玄黄。")
    data = whole.encode({"utf-16": "utf-16-le", "utf-8-sig": "utf-8"}.get(encoding, encoding))
    document = form.read(data, "zh", encoding)
    assert [p.text for p in document.passages] == ["天地玄黄。"]
    assert document.write(document.passages, "en") == data
    assert document.warnings == type(document.warnings)()


@pytest.mark.parametrize(("form", "text"), FILES, ids=NAMES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_at_the_start_counts_more_than_what_the_user_names(form, text, encoding):
    data = text.format("天地玄黄。").encode(encoding)
    document = form.read(data, "zh", "gb18030")
    assert [p.text for p in document.passages] == ["天地玄黄。"]
    assert document.write(document.passages, "en") == data


@pytest.mark.parametrize(("form", "text"), FILES, ids=NAMES)
@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13", "a\0b", "idna", "undefined"])
def test_an_encoding_that_there_is_not_is_told(form, text, encoding):
    with pytest.raises(FormatError, match=r"There is no encoding .* such as utf-8"):
        form.read(text.format("x").encode(), "en", encoding)


@pytest.mark.parametrize(("form", "text"), FILES, ids=NAMES)
@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "gb18030", "utf-7", "hz", "cp037"])
def test_a_file_that_is_not_in_the_encoding_named_is_told_or_read_but_never_fails(
    form, text, encoding
):
    data = text.format("x").encode().replace(b"x", b"\xff\xff\xff" * 30)
    try:
        document = form.read(data, "zh", encoding)
    except FormatError:
        return
    assert document.write(document.passages, "en") == data


def test_a_docx_is_read_whatever_the_user_names():
    data = package(body(paragraph(run("你好"))))
    assert Docx().read(data, "zh", "gb18030").passages == Docx().read(data, "zh").passages


def test_new_text_is_in_the_same_encoding_if_that_has_all_its_characters():
    form, text = FILES[0]
    document = form.read(text.format("你好。").encode("gbk"), "zh", "gbk")
    assert document.write([Passage("好的。")], "zh") == text.format("好的。").encode("gbk")


@pytest.mark.parametrize(("form", "text"), [FILES[0], FILES[1], FILES[3]])
def test_new_text_with_characters_that_the_encoding_lacks_is_in_utf_8(form, text):
    document = form.read(text.format("漢字").encode("big5"), "zh", "big5")
    assert document.write([Passage("na\u00efve \u2603")], "fr") == (
        text.format("na\u00efve \u2603").encode()
    )


def test_a_sign_that_an_encoding_writes_as_another_makes_it_utf_8():
    file = read_text("表".encode("shift_jis"), "ja", "shift_jis")
    assert not file.can_encode("5 \u00a5")  # a backslash to those who read it
    assert file.encode("5 \u00a5") == "5 \u00a5".encode()


def test_bytes_with_a_twin_in_their_encoding_come_back_as_they_were():
    data = b"\x81\xca \xfa\x54\n"
    file = read_text(data, "ja", "cp932")
    assert file.text == "\uffe2 \uffe2\n"
    assert file.encode(file.text) == data


def test_a_mark_of_utf_8_stays():
    file = read_text(b"\xef\xbb\xbfa", "en")
    assert file.encode("\u00e9") == b"\xef\xbb\xbf\xc3\xa9"


def test_codecs_that_write_a_mark_are_not_for_files_without_one():
    assert [codec_of(name) for name in ("UTF-16", "utf_8_sig", "latin-1")] == [
        "utf-16-le",
        "utf-8",
        "iso8859-1",
    ]
