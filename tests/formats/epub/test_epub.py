"""EPUB books of both versions."""

import io
import re
import time
import xml.etree.ElementTree as ET
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.epub.format import Epub
from longways.formats.registry import PACKAGES, SUFFIXES
from tests.formats.odf.odf_files import packed
from tests.formats.office.office_files import (
    changed,
    different,
    parts_of,
    refused,
    reworded,
    try_damaged,
)
from tests.formats.resources.translating import bracketed

FORM = Epub()
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
CONTAINER = (
    f'{HEAD}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OEBPS/book.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles></container>'
)
XHTML = "application/xhtml+xml"
NCX = "application/x-dtbncx+xml"
IDPF = "http://www.idpf.org/2008/embedding"


def page(body, title="页"):
    return (
        f'{HEAD}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="zh-CN" '
        f'lang="zh-CN"><head><title>{title}</title><link href="s.css" rel="stylesheet"/></head>'
        f"\n<body>{body}</body></html>\n"
    )


def opf(manifest, spine, metadata, version="3.0"):
    return (
        f'{HEAD}<package xmlns="http://www.idpf.org/2007/opf" version="{version}" '
        'unique-identifier="id" xml:lang="zh-CN"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
        f"{metadata}</metadata>\n<manifest>{manifest}</manifest>"
        f'<spine toc="ncx">{spine}</spine></package>'
    )


def item(key, href, kind=XHTML, more=""):
    return f'<item id="{key}" href="{href}" media-type="{kind}"{more}/>'


def spine(*keys):
    return "".join(f'<itemref idref="{key}"/>' for key in keys)


METADATA = (
    '<dc:identifier id="id">书号</dc:identifier><dc:title> 长路 &amp; 短路 </dc:title>'
    '<dc:creator opf:file-as="作者">张三</dc:creator><dc:language>zh-CN</dc:language>'
    "<dc:description>一本书。</dc:description><dc:subject>小说</dc:subject>"
    "<!-- 注 --><meta property='dcterms:modified'>2020-01-01T00:00:00Z</meta>"
)
TOC = (
    f'{HEAD}<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" '
    '"http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">\n'
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" xml:lang="zh">'
    "<head><meta name='作' content='者'/></head><docTitle><text>长路</text></docTitle>"
    "<docAuthor><text>张三</text></docAuthor>"
    '<navMap><navPoint id="a"><navLabel><text>第一章</text></navLabel><content src="1.xhtml"/>'
    '<navPoint id="b"><navLabel><text>第一节</text></navLabel><content src="1.xhtml#b"/></navPoint>'
    "</navPoint></navMap></ncx>"
)
PAGES = {
    "OEBPS/s.css": "p { font-family: 宋体 }",
    "OEBPS/text/二 2.xhtml": page("<h1>第二章</h1><p>他走了。</p>"),
    "OEBPS/text/1.xhtml": page("<h1>第一章</h1><p>天<b>很</b>冷。<br/>雪&#160;大。</p>"),
    "OEBPS/note.xhtml": page("<p>注释。</p>"),
    "OEBPS/a.png": b"\x89PNG\0",
}
ITEMS = (
    item("two", "text/%E4%BA%8C%202.xhtml")
    + item("note", "note.xhtml")
    + item("one", "text/1.xhtml")
    + item("style", "s.css", "text/css")
    + item("image", "a.png", "image/png")
)
NAV = page(
    '<nav epub:type="toc" xmlns:epub="http://www.idpf.org/2007/ops"><ol>'
    '<li><a href="text/1.xhtml">第一章</a></li></ol></nav>',
    "目录",
)


def book(version="3.0", metadata=METADATA, more=None, order=("one", "two"), pages=PAGES):
    """A book: EPUB 3 with a navigation document, EPUB 2 with an NCX."""
    new = version == "3.0"
    toc = item("nav", "nav.xhtml", more=' properties="nav"') if new else item("ncx", "t.ncx", NCX)
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER}
    parts["OEBPS/book.opf"] = opf(toc + ITEMS, spine(*order), metadata, version)
    parts["OEBPS/nav.xhtml" if new else "OEBPS/t.ncx"] = NAV if new else TOC
    return packed(parts | pages | (more or {}))


BOOKS = {"3": book(), "2": book("2.0")}
BODY = ["页", "第一章", "天很冷。\n雪\xa0大。", "页", "第二章", "他走了。", "页", "注释。"]


def texts(data):
    return [passage.text for passage in FORM.read(data, "zh").passages]


def translated(data, to="en", **how):
    document = FORM.read(data, "zh")
    new = [bracketed(passage, "<", "> & x") for passage in document.passages]
    return document.write(new, to, **how)


def test_the_spine_is_the_order_and_the_tables_of_contents_and_titles_follow():
    assert texts(BOOKS["3"]) == [*BODY, "目录", "第一章", "长路 & 短路", "一本书。"]
    titles = ["长路", "第一章", "第一节", "长路 & 短路", "一本书。"]
    assert texts(BOOKS["2"]) == [*BODY, *titles]


def test_a_navigation_in_the_spine_is_read_there():
    assert texts(book(order=("nav", "one", "two")))[:3] == ["目录", "第一章", "页"]


@pytest.mark.parametrize("data", BOOKS.values(), ids=BOOKS)
def test_a_book_is_written_again_to_the_byte(data):
    document = FORM.read(data, "zh")
    assert not document.warnings
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@pytest.mark.parametrize("data", BOOKS.values(), ids=BOOKS)
@pytest.mark.parametrize("bilingual", [False, True])
def test_every_text_is_written_and_the_other_parts_stay(data, bilingual):
    written = translated(data, bilingual=bilingual)
    texts_of = {name for name in parts_of(data) if name.endswith((".xhtml", ".opf", ".ncx"))}
    assert different(data, written) == texts_of
    for name in texts_of:
        ET.fromstring(parts_of(written)[name])
    if not bilingual:
        assert texts(written) == [f"<{text}> & x" for text in texts(data)]


@pytest.mark.parametrize("data", BOOKS.values(), ids=BOOKS)
def test_each_new_text_changes_its_own_part_and_the_language_of_the_book(data):
    document = FORM.read(data, "zh")
    for number, passage in enumerate(document.passages):
        new = [*document.passages]
        new[number] = reworded(passage)
        written = document.write(new, "en")
        assert len(different(data, written) - {"OEBPS/book.opf"}) <= 1
        assert b"<dc:language>en</dc:language>" in parts_of(written)["OEBPS/book.opf"]


def test_the_mimetype_stays_first_and_stored():
    with zipfile.ZipFile(io.BytesIO(translated(BOOKS["3"]))) as file:
        first = file.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert file.read("mimetype") == b"application/epub+zip"
        assert file.testzip() is None


def test_languages_are_set_and_names_and_numbers_stay():
    parts = parts_of(translated(BOOKS["2"], "en-GB"))
    whole, toc = parts["OEBPS/book.opf"].decode(), parts["OEBPS/t.ncx"].decode()
    old = parts_of(BOOKS["2"])["OEBPS/book.opf"].decode()
    wanted = old.replace("zh-CN", "en-GB").replace("一本书。", "&lt;一本书。> &amp; x")
    assert whole == wanted.replace("长路 &amp; 短路", "&lt;长路 &amp; 短路> &amp; x")
    assert 'xml:lang="en-GB"' in toc
    assert "<docAuthor><text>张三</text></docAuthor>" in toc
    assert 'lang="en-GB"' in parts["OEBPS/text/1.xhtml"].decode()


@pytest.mark.parametrize(
    ("languages", "wanted"),
    [(["zh", "fr"], ["en", "fr"]), (["und"], ["en"]), (["ZH_tw"], ["en"]), (["fr", "de"], None)],
)
def test_the_language_of_the_texts_becomes_the_target(languages, wanted):
    said = "".join(f"<dc:language>{name}</dc:language>" for name in languages)
    data = book(metadata=f"<dc:title>书</dc:title>{said}")
    whole = parts_of(translated(data))["OEBPS/book.opf"].decode()
    assert re.findall("<dc:language>(.*?)<", whole) == (wanted or languages)


def test_a_description_in_html_stays():
    said = "<dc:title>书</dc:title><dc:description>&lt;p&gt;一本书&lt;/p&gt;</dc:description>"
    data = book(metadata=said)
    assert texts(data)[-1] == "书"
    assert "一本书&lt;/p&gt;<" in parts_of(translated(data))["OEBPS/book.opf"].decode()


def test_a_title_that_names_a_tag_is_translated():
    assert texts(book(metadata="<dc:title>学 &lt;div&gt; 标签</dc:title>"))[-1] == "学 <div> 标签"


def encrypted(*algorithms):
    data = "".join(
        f'<e:EncryptedData><e:EncryptionMethod Algorithm="{name}"/></e:EncryptedData>'
        for name in algorithms
    )
    space = "http://www.w3.org/2001/04/xmlenc#"
    return {"META-INF/encryption.xml": f'<encryption xmlns:e="{space}">{data}</encryption>'}


def test_fonts_that_are_hard_to_copy_do_no_harm():
    names = (IDPF, "http://ns.adobe.com/pdf/enc#RC")
    assert texts(book(more=encrypted(*names))) == texts(BOOKS["3"])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (book(more=encrypted(IDPF, "http://www.w3.org/2001/04/xmlenc#aes128-cbc")), "encrypted"),
        (b"", "not an EPUB book"),
        ("书".encode(), "not a zip file"),
        (BOOKS["3"][:-30], "cannot be opened as a zip file"),
        (packed({"mimetype": "application/epub+zip"}), "no part META-INF/container.xml"),
        (packed({"[Content_Types].xml": "<a/>"}), "no EPUB book"),
        (packed({"META-INF/container.xml": CONTAINER}), "names no package document"),
        (changed(BOOKS["3"], "META-INF/container.xml", "</rootfiles>", ""), "not well-formed XML"),
        (changed(BOOKS["3"], "OEBPS/book.opf", "</manifest>", ""), "OEBPS/book.opf of this book"),
        (
            changed(BOOKS["3"], "OEBPS/book.opf", HEAD, '<!DOCTYPE p [<!ENTITY a "b">]>'),
            "entities",
        ),
        (book(more={"OEBPS/big.bin": "0" * (20 << 20)}), "would unpack to"),
        (changed(BOOKS["3"], "OEBPS/book.opf", "<spine", "<a>" * 300 + "<spine"), "deep|formed"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(data, said):
    refused(FORM, data, said)


def test_a_damaged_or_missing_page_is_named_and_the_others_are_read():
    gone = {name: data for name, data in PAGES.items() if name != "OEBPS/note.xhtml"}
    damaged = {**gone, "OEBPS/text/1.xhtml": b"\0\xff\1" * 20}
    document = FORM.read(book("2.0", pages=damaged), "zh")
    missing, unread = document.warnings
    assert missing == "The book names the part OEBPS/note.xhtml, but does not have it."
    assert unread.startswith("OEBPS/text/1.xhtml: The file is binary or not in utf-8")
    assert "他走了。" in [passage.text for passage in document.passages]


def test_a_damaged_table_of_contents_stays_with_a_warning():
    data = changed(BOOKS["2"], "OEBPS/t.ncx", "</navMap>", "")
    (warning,) = FORM.read(data, "zh").warnings
    assert warning.startswith("OEBPS/t.ncx: The part OEBPS/t.ncx of this book is damaged. Line ")
    assert "OEBPS/t.ncx" not in different(data, translated(data))


def test_pages_with_the_same_identifier_or_none_are_read():
    data = changed(BOOKS["3"], "OEBPS/book.opf", 'id="note"', 'id="one"')
    assert sorted(texts(data)) == sorted(texts(BOOKS["3"]))
    data = changed(BOOKS["3"], "OEBPS/book.opf", 'id="note" ', "")
    assert texts(data) == texts(BOOKS["3"])


def test_a_signature_is_named():
    (warning,) = FORM.read(book(more={"META-INF/signatures.xml": "<a/>"}), "zh").warnings
    assert "digital signature" in warning


def test_several_editions_in_a_file_are_all_read():
    both = CONTAINER.replace("</rootfiles>", '<rootfile full-path="b.opf"/></rootfiles>')
    other = opf(item("a", "b.xhtml"), spine("a"), "<dc:title>另一本</dc:title>")
    more = {"META-INF/container.xml": both, "b.opf": other, "b.xhtml": page("<p>另页</p>")}
    assert texts(book(more=more))[-3:] == ["页", "另页", "另一本"]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_parts_are_refused_in_a_sentence_or_read(data):
    kind = data.draw(st.sampled_from(sorted(BOOKS)))
    parts = parts_of(BOOKS[kind])
    name = data.draw(st.sampled_from(sorted(parts)))
    whole = parts[name]
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(start + 40, len(whole))))
    new = data.draw(st.sampled_from([b"", b"<", b"&", b"\0", b'"', b"<item>", b"\xff", b"]]>"]))
    try_damaged(FORM, packed({**parts, name: whole[:start] + new + whole[end:]}))


def seconds(count, part):
    data = part(count)
    start = time.process_time()
    document = FORM.read(data, "zh")
    document.write([reworded(p) for p in document.passages], "en")
    return time.process_time() - start


def long_book(count):
    pages = {f"OEBPS/{n}.xhtml": page("<p>他走了。</p>") for n in range(count)}
    items = "".join(item(f"p{n}", f"{n}.xhtml") for n in range(count))
    whole = opf(items, spine(*(f"p{n}" for n in range(count))), METADATA)
    return book(pages=PAGES | pages | {"OEBPS/book.opf": whole})


def long_contents(count):
    point = "<navPoint><navLabel><text>章</text></navLabel></navPoint>"
    toc = TOC.replace("</navMap>", point * (count * 10) + "</navMap>")
    return book("2.0", pages=PAGES | {"OEBPS/t.ncx": toc})


@pytest.mark.parametrize("part", [long_book, long_contents])
def test_time_is_linear(part):
    for _ in range(3):  # other work on the machine may disturb one measurement
        if seconds(400, part) < 12 * max(seconds(100, part), 0.01):
            return
    pytest.fail("four times the size takes more than twelve times the time")


def test_the_suffix_is_known_as_that_of_a_package():
    assert SUFFIXES[".epub"] == "epub"
    assert "epub" in PACKAGES


def test_the_book_in_another_form_is_no_package_document():
    other = '<rootfile full-path="a.pdf" media-type="application/pdf"/></rootfiles>'
    data = changed(book(more={"a.pdf": "%PDF"}), "META-INF/container.xml", "</rootfiles>", other)
    assert "天很冷。" in FORM.read(data, "zh").passages[2].text
