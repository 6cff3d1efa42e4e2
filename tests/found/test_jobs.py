"""Defects of encodings, of damaged and hostile files, and of jobs over many of them."""

import time

import pytest

from longways.errors import FormatError, TextError
from longways.formats.base import Passage
from longways.formats.docx.format import Docx
from longways.formats.html.format import Html
from longways.formats.po.catalogue import Po
from longways.formats.text_file import read_text
from longways.text.charset import check_encoding, check_file
from longways.text.encodings import likeliest
from tests.formats.docx.docx_files import body, package, paragraph, run, zipped

TRADITIONAL = (
    "請確認電腦已經連線到網路, 然後開啟應用程式。您可以在設定頁面變更語言與時區。\n"
    "伺服器每天凌晨兩點備份資料庫, 並將備份檔案保留三十天。下雨的時候, 孩子們坐在窗邊聽雨聲。\n"
)
SIMPLIFIED = (
    "请确认电脑已经连接到网络, 然后打开应用程序。您可以在设置页面更改语言和时区。\n"
    "服务器每天凌晨两点备份数据库, 并将备份文件保留三十天。下雨的时候, 孩子们坐在窗边听雨声。\n"
)


class TestC4CharsetWithSpaces:
    @pytest.mark.parametrize(
        "charset", ["charset= koi8-r", "charset = koi8-r", '"\n"charset=koi8-r']
    )
    def test_the_header_is_read_however_it_is_spaced(self, charset):
        header = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; {charset}\\n"\n'
        data = f'{header}\nmsgid "Открыть файл"\nmsgstr ""\n'.encode("koi8-r")
        assert [p.text for p in Po().read(data, "ru").passages] == ["Открыть файл"]


class TestC5Big5:
    @pytest.mark.parametrize("sentence", [*TRADITIONAL.splitlines(), TRADITIONAL[:7], TRADITIONAL])
    def test_the_hint_names_big5(self, tmp_path, sentence):
        (tmp_path / "a.txt").write_bytes(sentence.encode("big5"))
        with pytest.raises(TextError, match="--encoding big5, which fits"):
            check_file(tmp_path / "a.txt", None, "zh")

    @pytest.mark.parametrize("text", [SIMPLIFIED, SIMPLIFIED[:7], TRADITIONAL])
    def test_gb18030_is_told_apart_even_in_traditional_characters(self, text):
        assert likeliest(text.encode("gb18030"), ("gb18030", "big5")) == "gb18030"

    def test_html_without_a_declaration(self):
        with pytest.raises(FormatError, match='charset="big5"'):
            Html().read(f"<p>{TRADITIONAL}</p>".encode("big5"), "zh")


class TestE9EncodingsWithoutAMark:
    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    def test_utf_16_without_a_mark_has_the_order_that_the_text_shows(self, tmp_path, codec):
        (tmp_path / "a.txt").write_bytes(SIMPLIFIED.encode(codec))
        found = check_file(tmp_path / "a.txt", codec[:6], "zh")
        assert found.characters == len(SIMPLIFIED)
        assert read_text(SIMPLIFIED.encode(codec), "zh", codec[:6]).text == SIMPLIFIED

    def test_the_hint_for_utf_16_is_not_gb18030(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(SIMPLIFIED.encode("utf-16-be"))
        with pytest.raises(TextError, match="utf-16-be"):
            check_file(tmp_path / "a.txt", None, "zh")


class TestE10OnlyEncodingsOfFiles:
    CODECS = ("punycode", "idna", "undefined", "rot13", "unicode_escape", "base64", "hz", "utf-7")

    @pytest.mark.parametrize("codec", CODECS)
    def test_a_docx_part_in_no_encoding_of_word_processors_is_refused_at_once(self, codec):
        start = f'<?xml version="1.0" encoding="{codec}"?>'
        main = start + "<w:document>" + "中" * 20_000
        began = time.monotonic()
        with pytest.raises(FormatError, match=f"is not in its encoding, {codec}"):
            Docx().read(package(main), "zh")
        with pytest.raises(FormatError, match=f"is not in its encoding, {codec}"):
            Docx().read(zipped({"_rels/.rels": start + "<x/>"}), "zh")
        assert time.monotonic() - began < 2

    @pytest.mark.parametrize("codec", ["idna", "undefined", "punycode"])
    def test_html_that_declares_one_is_read_as_utf_8(self, codec):
        data = f'<meta charset="{codec}"><p>打开终端。</p>'.encode()
        document = Html().read(data, "zh")
        assert [p.text for p in document.passages] == ["打开终端。"]
        assert codec in document.warnings[0]
        with pytest.raises(TextError, match="There is no encoding"):
            check_encoding(codec)

    def test_chains_of_styles_take_linear_time(self):
        chain = "".join(
            f'<w:style w:styleId="s{n}"><w:name w:val="n{n}"/><w:basedOn w:val="s{n + 1}"/>'
            "</w:style>"
            for n in range(20_000)
        )
        code = '<w:style w:styleId="s20000"><w:name w:val="Source Code"/></w:style>'
        text = paragraph(run("字"), properties='<w:pStyle w:val="s0"/>')
        began = time.monotonic()
        document = Docx().read(package(body(text + paragraph(run("读"))), chain + code), "zh")
        assert [p.text for p in document.passages] == ["读"]
        assert time.monotonic() - began < 5


class TestE16DamagedAndHostileFiles:
    @pytest.mark.parametrize("line", ['msgidd "二"', 'msgi "二"', 'msgid 二"', 'mzgid "二"'])
    def test_a_damaged_keyword_is_refused_with_its_line(self, line):
        data = f'msgid "一"\nmsgstr ""\n\n{line}\nmsgstr ""\n'.encode()
        with pytest.raises(FormatError, match=r"^Line 4: "):
            Po().read(data, "zh")

    @pytest.mark.parametrize("end", ["<!-- 待办 ", "<!-- a -- b", "<b class=", "<?php x"])
    @pytest.mark.parametrize("bilingual", [True, False])
    def test_no_text_is_written_into_what_is_never_ended(self, end, bilingual):
        document = Html().read(f"<p>打开终端。{end}".encode(), "zh")
        (own,) = document.passages
        written = document.write([Passage("Open.", own.marks)], "en", bilingual=bilingual).decode()
        assert written.endswith(end)
        assert "Open." in written[: -len(end)]

    def test_a_file_of_many_small_bombs_is_refused(self):
        parts = {f"word/media/{n}.bin": bytes(9 << 20) for n in range(8)}
        with pytest.raises(FormatError, match=r"^This \.docx has [\d,]+ bytes, but would unpack"):
            Docx().read(zipped(parts), "zh")
