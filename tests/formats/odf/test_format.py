"""OpenDocument files: which text is read, and what a translation leaves as it is."""

from __future__ import annotations

import io
import random
import re
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage
from longways.formats.docx.format import Docx
from longways.formats.odf.format import Odp, Ods, Odt
from longways.formats.registry import format_named
from tests.effort import is_linear
from tests.formats.docx.docx_files import body as word_body
from tests.formats.docx.docx_files import package as word_package
from tests.formats.docx.docx_files import part, shouted
from tests.formats.docx.test_properties import moved
from tests.formats.office.office_files import (
    different,
    parts_of,
    refused,
    reworded,
    try_damaged,
    without_spaces,
)

from .odf_files import BODIES, FORMATS, HEAD, bold, cell, document, p, packed, read, sheet, texts

CONTENT = "content.xml"
NOTE = (
    '<text:note text:id="ftn1" text:note-class="footnote">'
    f"<text:note-citation>1</text:note-citation><text:note-body>{p('脚注文字')}</text:note-body></text:note>"
)
ANNOTATION = (
    "<office:annotation><dc:creator>王芳</dc:creator><dc:date>2024-01-01T00:00:00</dc:date>"
    f"{p('请核对')}</office:annotation>"
)
FRAME = (
    '<draw:frame draw:name="框" text:anchor-type="as-char" svg:width="5cm" svg:height="2cm">'
    f"<draw:text-box>{p('框里的字')}</draw:text-box><svg:title>标题</svg:title></draw:frame>"
)
UNSEEN = '<text:span text:style-name="T2">天</text:span>'
DELETED = (
    '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion>'
    f"{p('删掉的')}</text:deletion></text:changed-region></text:tracked-changes>"
)
NUMBER = '<text:page-number text:select-page="current">1</text:page-number>'
LINK = '<text:a xlink:type="simple" xlink:href="https://example.org/">{}</text:a>'


def written_text() -> bytes:
    body = (
        DELETED
        + '<text:h text:outline-level="1">第一章</text:h>'
        + p(f"今{UNSEEN}讨论{bold('预算')}。{NOTE}")
        + p(f"第{NUMBER}页{ANNOTATION}<text:line-break/>请看{LINK.format('网站')}")
        + p(FRAME)
        + f'<table:table table:name="表"><table:table-row>{cell("姓名")}'
        + cell("三", ' office:value-type="float" office:value="3"')
        + "</table:table-row></table:table>"
        + '<text:p text:style-name="P9">代码 = 1</text:p>'
    )
    return document("odt", body, header=p("页眉文字"), title="年度报告")


def slides() -> bytes:
    page = (
        '<draw:page draw:name="页一" draw:master-page-name="Standard"><draw:frame '
        f'svg:width="9cm" svg:height="5cm" svg:x="1cm" svg:y="1cm"><draw:text-box>{p("讨论预算")}'
        '</draw:text-box></draw:frame><presentation:notes><draw:frame svg:width="9cm" '
        f'svg:height="5cm"><draw:text-box>{p("提醒大家")}</draw:text-box></draw:frame>'
        "</presentation:notes></draw:page>"
    )
    return document("odp", page, title="年度报告")


def cells() -> bytes:
    sum_ = ' table:formula="of:=[.A1]&amp;&quot;斤&quot;" office:value-type="string"'
    body = sheet(
        cell("苹果"),
        cell("斤"),
        cell("苹果斤", sum_ + ' office:string-value="苹果斤"'),
        cell("2024年", ' office:value-type="date" office:date-value="2024-01-01"'),
        cell("梨", ' office:value-type="string" office:string-value="梨"'),
        cell("苹果"),
    )
    return document("ods", body, header=p("表的页眉"))


BUILT = {"odt": written_text, "odp": slides, "ods": cells}
kinds = pytest.mark.parametrize("kind", list(BUILT))


def test_all_text_is_read_in_order():
    assert texts(written_text()) == [
        *("第一章", "今天讨论预算。", "脚注文字", "第页请看网站", "请核对", "框里的字", "标题"),
        *("姓名", "页眉文字", "年度报告"),
    ]
    assert texts(slides(), "odp") == ["讨论预算", "提醒大家", "年度报告"]


def test_numbers_dates_results_and_texts_of_formulas_stay_in_cells():
    document_ = read(cells(), "ods")
    assert [passage.text for passage in document_.passages] == ["苹果", "梨", "表的页眉"]
    assert document_.warnings == (
        "Texts of cells that formulas, conditions or filters name stay as they are: 斤 (1 in all).",
    )
    xml = part(document_.write([Passage("Apple"), Passage("Pear"), Passage("Head")], "en"), CONTENT)
    assert xml.count("<text:p>Apple</text:p>") == 2
    assert 'office:string-value="Pear"><text:p>Pear</text:p>' in xml
    assert 'office:string-value="苹果斤"><text:p>苹果斤</text:p>' in xml


@kinds
def test_an_untouched_file_is_the_same_to_the_byte(kind):
    data = BUILT[kind]()
    found = read(data, kind)
    assert found.write(found.passages, "en") == data
    assert found.write(found.passages, "en", bilingual=True) == data


@kinds
@pytest.mark.parametrize("bilingual", [False, True])
def test_parts_without_text_stay_and_the_mimetype_is_first_and_stored(kind, bilingual):
    data = BUILT[kind]()
    found = read(data, kind)
    written = found.write([reworded(own) for own in found.passages], "en", bilingual=bilingual)
    changed = {"odt": {"styles.xml", "meta.xml"}, "odp": {"meta.xml"}, "ods": {"styles.xml"}}
    assert different(data, written) == {CONTENT, *changed[kind]}
    with zipfile.ZipFile(io.BytesIO(written)) as file:
        first = file.infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


@kinds
def test_every_translated_passage_is_read_again(kind):
    found = read(BUILT[kind](), kind)
    new = [reworded(passage) for passage in found.passages]
    again = read(found.write(new, "en"), kind)
    assert set(without_spaces(again.passages)) == set(without_spaces(new))


def test_spans_that_differ_in_nothing_visible_are_no_marks():
    (passage,) = read(document("odt", p(f"今{UNSEEN}"))).passages
    assert passage == Passage("今天")


def test_formatting_follows_its_words():
    found = read(document("odt", p(f"今天{bold('下雨')}")))
    assert found.passages == (Passage("今天下雨", (Mark(2, 4, 0),)),)
    xml = part(found.write([Passage("Rain today", (Mark(0, 4, 0),))], "en"), CONTENT)
    assert f"<text:p>{bold('Rain')}<text:s/>today</text:p>" in xml


def test_a_link_within_a_span_stays_within_it():
    found = read(document("odt", p(f"请看{bold(LINK.format('网站'))}。")))
    (passage,) = found.passages
    assert (passage.text, passage.marks) == ("请看网站。", (Mark(2, 4, 0),))
    xml = part(found.write([Passage("The site.", (Mark(4, 8, 0),))], "en"), CONTENT)
    assert f"<text:p>The {bold(LINK.format('site'))}.</text:p>" in xml


def test_spaces_are_read_and_written_as_the_format_has_them():
    found = read(document("odt", p(' 甲  乙\n丙<text:s text:c="3"/>丁<text:s/>')))
    assert found.passages[0].text == "甲 乙 丙   丁 "
    xml = part(found.write([Passage(" a   b  ")], "en"), CONTENT)
    assert '<text:p><text:s/>a <text:s text:c="2"/>b <text:s/></text:p>' in xml
    assert texts(found.write([Passage(" a   b  ")], "en")) == [" a   b  "]


def test_tabs_and_line_breaks_divide_a_paragraph():
    found = read(document("odt", p("甲<text:tab/>乙<text:line-break/>丙")))
    assert found.passages[0].breaks == (1, 2)
    new = [Passage("A B C", (Mark(1, 1, 0), Mark(3, 3, 1)))]
    assert p("A<text:tab/>B<text:line-break/>C") in part(found.write(new, "en"), CONTENT)


def test_bookmarks_keep_their_order():
    marked = '<text:bookmark-start text:name="b"/>甲<text:bookmark-end text:name="b"/>乙'
    found = read(document("odt", p(marked)))
    new = [Passage("ab", (Mark(2, 2, 0), Mark(0, 0, 1)))]
    xml = part(found.write(new, "en"), CONTENT)
    assert xml.index("bookmark-start") < xml.index("bookmark-end")


def test_a_bilingual_paragraph_has_both_texts_and_one_of_each_item():
    found = read(document("odt", p(f'今{bold("天")}{NOTE}<text:bookmark text:name="b"/>')))
    new = [Passage("Today", (Mark(0, 5, 0), Mark(5, 5, 1), Mark(5, 5, 2))), found.passages[1]]
    xml = part(found.write(new, "en", bilingual=True), CONTENT)
    assert f"<text:line-break/>今{bold('天')}</text:p>" in xml
    assert (xml.count("<text:note "), xml.count("<text:bookmark ")) == (1, 1)


def test_text_of_charts_is_read_and_their_numbers_are_not():
    counted = cell("十二", ' office:value-type="float"')
    chart = (
        f"<chart:title>{p('销量')}</chart:title><table:table><table:table-row>{cell('春季')}"
        f"{counted}</table:table-row></table:table>"
    )
    inner = f"<office:chart><chart:chart>{chart}</chart:chart></office:chart>"
    inner = f"<office:body>{inner}</office:body>"
    head = re.search("<office:document-content[^>]*>", part(document("ods", ""), CONTENT))
    assert head
    object_ = f"{HEAD}{head[0]}{inner}</office:document-content>"
    data = document("ods", sheet(cell("苹果")), **{"Object 1/content.xml": object_})
    assert texts(data, "ods") == ["苹果", "销量", "春季"]
    damaged = document("ods", sheet(cell("苹果")), **{"Object 1/content.xml": object_[:-9]})
    (warning,) = read(damaged, "ods").warnings
    assert warning.startswith("The part Object 1/content.xml of this file is not well-formed XML")


def test_placeholders_are_kept_parts():
    (passage,) = read(document("odt", p(f"你好{{{{na{bold('me')}}}}}"))).passages
    assert [passage.text[start:end] for start, end in passage.keep] == ["{{name}}"]


def test_protected_signed_damaged_and_other_files_are_named():
    parts = parts_of(written_text())
    manifest = parts["META-INF/manifest.xml"]
    assert isinstance(manifest, bytes)
    secret = manifest.replace(b"</manifest:", b"<manifest:encryption-data/></manifest:")
    refused(Odt(), packed({**parts, "META-INF/manifest.xml": secret}), "protected with a password")
    signed = packed({**parts, "META-INF/documentsignatures.xml": b"<x/>"})
    assert "digital signature" in read(signed).warnings[0]
    refused(Ods(), written_text(), r"an \.odt, whatever its name says. .* --format odt")
    refused(Odp(), packed({"mimetype": "x"}), "no document in it")
    refused(Odt(), word_package(word_body("")), "file of Microsoft Office, whatever its name says")
    refused(Docx(), written_text(), "OpenDocument file, whatever its name says")
    refused(Odt(), written_text()[:300], "cannot be opened as a zip file")
    other = parts_of(document("odt", ""))[CONTENT]
    assert isinstance(other, bytes)
    other = other.replace(b"office:text>", b"office:drawing>")
    refused(Odt(), packed({**parts, CONTENT: other}), r"another kind \(drawing\)")


@pytest.mark.parametrize("cut", [60, 900, -20])
def test_content_that_ends_too_early_is_refused_with_its_place(cut):
    whole = parts_of(written_text())
    content = whole[CONTENT]
    assert isinstance(content, bytes)
    data = packed({**whole, CONTENT: content[:cut]})
    refused(Odt(), data, r"content.xml of this file is not well-formed XML \(line \d+, column \d+")


def test_utf_16_behind_the_mark_of_utf_8_is_refused():
    whole = parts_of(written_text())
    content = whole[CONTENT]
    assert isinstance(content, bytes)
    mixed = b"\xef\xbb\xbf" + content.decode().encode("utf-16-be")
    refused(Odt(), packed({**whole, CONTENT: mixed}), "content.xml of this file is not in its enc")


def test_entities_and_deep_elements_are_refused():
    whole = parts_of(written_text())
    content = whole[CONTENT]
    assert isinstance(content, bytes)
    doctype = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    bad = content.replace(HEAD.encode(), HEAD.encode() + doctype)
    refused(Odt(), packed({**whole, CONTENT: bad}), "declares a document type")
    deep = bold("").partition("></")
    refused(Odt(), document("odt", p((deep[0] + ">") * 300 + "</text:span>" * 300)), "256 deep")


def test_many_spaces_of_one_element_are_no_bomb():
    found = read(document("odt", p('甲<text:s text:c="999999999"/>乙')))
    assert found.passages[0].text == "甲乙"


def test_many_spans_are_read_and_written_in_linear_time():
    def spanned(count: int) -> bytes:
        return document("odt", p(f"文{bold('字')} " * count) * 2)

    def read_and_write(data: bytes) -> None:
        found = read(data)
        found.write([shouted(own) for own in found.passages], "en")

    assert is_linear(read_and_write, spanned(500), spanned(2000), 4)


@pytest.mark.parametrize(
    "hostile",
    [
        "<style:style " + "a" * 300_000,
        "<style:style " * 30_000,
        ' table:formula="' + "&quot;" * 50_000 + '"',
    ],
)
def test_hostile_styles_and_formulas_take_linear_time(hostile):
    start = time.process_time()
    try_damaged(Ods(), document("ods", sheet(cell("甲")) + f"<!-- {hostile} -->"))
    assert time.process_time() - start < 2


TEXTS = st.text("ab 中文。&\n{}", max_size=5).map(lambda text: text.replace("&", "&amp;"))
BOOKMARKS = ('<text:bookmark-start text:name="b"/>', '<text:bookmark-end text:name="b"/>')
BREAKS = ("<text:tab/>", "<text:line-break/>", '<text:s text:c="2"/>', "<text:soft-page-break/>")
THINGS = st.sampled_from([*BREAKS, *BOOKMARKS, NUMBER, NOTE, FRAME])
SPANS = [bold("{}"), bold("{}").replace("T1", "T2"), bold("{}").replace("T1", "E")]
INLINE = st.recursive(
    st.one_of(TEXTS, TEXTS, THINGS),
    lambda inner: st.builds(
        lambda shape, items: shape.replace("{}", "".join(items)),
        st.sampled_from(SPANS),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)
LINKED = st.one_of(INLINE, INLINE, TEXTS.map(lambda text: LINK.format(bold(text))))
PARAGRAPHS = st.lists(st.lists(LINKED, max_size=4).map(lambda items: p("".join(items))), max_size=4)


@settings(max_examples=100, deadline=None)
@given(PARAGRAPHS.map("".join), st.integers(), st.booleans())
def test_whatever_the_text_nothing_is_lost(body, seed, bilingual):
    data = document("odt", body)
    found = read(data)
    assert found.write(found.passages, "en") == data
    new = [moved(own, seed + n) for n, own in enumerate(found.passages)]
    written = found.write(new, "en")
    assert sorted(without_spaces(read(written).passages)) == sorted(without_spaces(new))
    elements = re.compile(
        r"<(text:(?:p|tab|line-break|page-number|bookmark-\w+|note|a)|draw:\w+)[ />]"
    )
    kinds_ = (elements.findall(part(file, CONTENT)) for file in (data, written))
    assert sorted(next(kinds_)) == sorted(next(kinds_))
    read(found.write(new, "en", bilingual=bilingual))


GOOD = written_text()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=9))
def test_any_damage_is_told_in_a_sentence_or_does_not_matter(place, damage):
    try_damaged(Odt(), GOOD[:place] + damage + GOOD[place + len(damage) :])


@kinds
def test_random_bytes_in_a_part_never_end_in_a_traceback(kind):
    parts, source = parts_of(BUILT[kind]()), random.Random(1)
    for _ in range(40):
        name = source.choice(sorted(parts))
        whole = parts[name]
        assert isinstance(whole, bytes)
        cut = source.randrange(len(whole) + 1)
        damaged = whole[:cut] + source.randbytes(3) + whole[cut + 3 :]
        try_damaged(FORMATS[kind], packed({**parts, name: damaged}))


@kinds
def test_a_second_reader_finds_all_text(kind):
    pytest.importorskip("odf", reason="needs odfpy")
    from odf import opendocument, teletype, text

    found = read(BUILT[kind](), kind)
    new = [reworded(passage) for passage in found.passages]
    opened = opendocument.load(io.BytesIO(found.write(new, "en")))
    elements = [*opened.getElementsByType(text.P), *opened.getElementsByType(text.H)]
    shown = "".join("".join(map(teletype.extractText, elements)).split())
    last = {"odt": -3, "odp": -1, "ods": -1}[kind]
    for passage in new[:last]:
        if passage.marks == ():
            assert "".join(passage.text.split()) in shown


def test_the_formats_say_their_names():
    assert [format_named(kind).suffixes for kind in BODIES] == [
        (".odt", ".ott"),
        (".odp", ".otp"),
        (".ods", ".ots"),
    ]


def test_a_pasted_text_in_a_style_for_code_is_translated_with_a_warning():
    pasted = "".join(
        f'<text:p text:style-name="Preformatted_20_Text">第{n}行文字。</text:p>' for n in "一二三"
    )
    found = read(document("odt", pasted))
    assert [passage.text for passage in found.passages] == [f"第{n}行文字。" for n in "一二三"]
    assert "Most of the text of this file has a style for code" in found.warnings[0]
    found = read(document("odt", p("下面的程序启动服务。") + pasted[: len(pasted) // 3]))
    assert [passage.text for passage in found.passages] == ["下面的程序启动服务。"]
    assert not found.warnings
