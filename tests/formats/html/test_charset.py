"""The encodings in which HTML files are read and written."""

import pytest

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.html.format import Html


def page(encoding, text="汉字"):
    return f'<meta charset="{encoding}"><p>{text}</p>'


@pytest.mark.parametrize("encoding", ["gb2312", "GBK", "gb18030", "big5", "utf-8", "euc-kr"])
def test_the_declared_encoding_is_read_and_kept(encoding):
    data = page(encoding, "中文").encode(encoding)
    document = Html().read(data, "zh")
    assert document.passages == [Passage("中文")]
    assert document.write([Passage("文")], "zh") == page(encoding, "文").encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_at_the_start_counts_more_than_what_is_declared(encoding):
    document = Html().read(page("big5").encode(encoding), "zh")
    assert document.passages == [Passage("汉字")]
    assert document.write([Passage("é")], "fr") == page("big5", "é").encode(encoding)


@pytest.mark.parametrize("encoding", ["gb2312", "big5", "iso8859-1"])
def test_a_file_that_was_converted_to_utf_8_is_read_as_that(encoding):
    data = page(encoding, "汉字的页面在这里").encode()
    document = Html().read(data, "zh")
    assert document.passages == [Passage("汉字的页面在这里")]
    assert document.warnings == [f"The file is not in {encoding}, as it declares, but in utf-8."]
    assert document.write(document.passages, "en") == data
    assert document.write([Passage("é")], "fr") == page(encoding, "&#233;").encode()
    kept = document.write([Passage("汉字的页面在这里!")], "zh")
    assert Html().read(kept, "zh").passages == [Passage("汉字的页面在这里!")]


def test_an_older_way_to_declare_an_encoding_is_read():
    source = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>汉字'
    assert Html().read(source.encode("gb2312"), "zh").passages == [Passage("汉字")]
    source = '<?xml version="1.0" encoding="big5"?><p>漢字</p>'
    assert Html().read(source.encode("big5"), "zh").passages == [Passage("漢字")]


def test_an_encoding_in_a_comment_is_not_declared():
    data = "<!-- <meta charset=big5> --><p>汉字".encode()
    assert Html().read(data, "zh").passages == [Passage("汉字")]


def test_what_the_encoding_cannot_express_is_written_as_references():
    document = Html().read(page("gb2312").encode("gb2312"), "zh")
    written = document.write([Passage("naïve 😀")], "fr")
    assert written == page("gb2312", "na&#239;ve &#128512;").encode("gb2312")
    assert Html().read(written, "fr").passages == [Passage("naïve 😀")]


def test_characters_beyond_a_declared_gb2312_are_read():
    data = page("gb2312", "朱镕").encode("gbk")
    document = Html().read(data, "zh")
    assert document.passages == [Passage("朱镕")]
    assert document.write(document.passages, "zh") == data


def test_bytes_with_a_twin_in_their_encoding_come_back_as_they_were():
    data = (
        page("shift_jis")
        .encode("ascii", "ignore")
        .replace(b"</p>", b"\x81\xca \xfa\x54</p><p>a</p>")
    )
    document = Html().read(data, "ja")
    assert document.passages[0].text == "\uffe2 \uffe2"  # written in two ways
    assert document.write(document.passages, "ja") == data
    new = [document.passages[0], Passage("b")]
    assert document.write(new, "en") == data.replace(b"<p>a", b"<p>b")


def test_a_few_bytes_that_are_no_text_are_told_and_kept():
    data = b"<p>one\n\xff two</p>\n<p>" + b"three" * 100 + b"</p>"
    document = Html().read(data, "en")
    assert document.passages[0].text == "one \ufffd two"
    assert document.warnings[0].startswith("Line 2: there are bytes that are not text in utf-8")
    new = [document.passages[0], Passage("drei")]
    assert document.write(new, "de") == b"<p>one\n\xff two</p>\n<p>drei</p>"


def test_a_file_in_another_encoding_is_refused_with_the_one_that_fits():
    with pytest.raises(FormatError, match=r'line 1.*<meta charset="gb18030">'):
        Html().read("<p>没有声明编码的网页</p>".encode("gb18030"), "zh")


def test_a_binary_file_and_a_cut_one_are_refused():
    with pytest.raises(FormatError, match="binary"):
        Html().read(b"\x89PNG\0\0\0\r\n\x1a\0\0", "zh")
    with pytest.raises(FormatError, match="cut short"):
        Html().read("字".encode("utf-16") + b"\x01", "zh")


@pytest.mark.parametrize("encoding", ["klingon", "utf-7", "rot13", "iso-2022-jp", "base64"])
def test_an_encoding_that_is_not_known_is_told_and_read_as_utf_8(encoding):
    document = Html().read(page(encoding).encode(), "zh")
    assert document.passages == [Passage("汉字")]
    assert encoding in document.warnings[0]


def test_a_sign_that_older_codecs_write_as_another_is_written_as_a_reference():
    document = Html().read(page("shift_jis", "\u6f22").encode("shift_jis"), "ja")
    written = document.write([Passage("\u6f22 \xa5 \\")], "ja")
    assert Html().read(written, "ja").passages == [Passage("\u6f22 \xa5 \\")]


@pytest.mark.parametrize("encoding", ["big5", "gb2312", "shift_jis", "iso-8859-1", "euc-kr"])
def test_each_sign_is_read_as_it_was_written(encoding):
    document = Html().read(page(encoding, "a").encode(), "zh")
    signs = "".join(map(chr, [*range(0xA1, 0x500), *range(0x2010, 0x2600), *range(0x3001, 0x3400)]))
    written = document.write([Passage(signs)], "en")
    assert Html().read(written, "en").passages[0].text == signs


def test_an_encoding_may_have_a_name_that_only_html_knows():
    data = page("x-gbk").encode("gbk")
    assert Html().read(data, "zh").passages == [Passage("汉字")]


def test_a_page_in_utf_8_that_declares_utf_16_is_read():
    assert Html().read(page("utf-16").encode(), "zh").passages == [Passage("汉字")]
