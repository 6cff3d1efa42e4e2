"""Workbooks: which text is read in which order, and what a translation leaves as it is."""

from __future__ import annotations

import io
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage
from longways.formats.pptx.format import Pptx
from longways.formats.xlsx.format import Xlsx
from tests.effort import is_linear
from tests.formats.docx.docx_files import HEAD, part, shouted, zipped
from tests.formats.docx.test_properties import moved
from tests.formats.office.office_files import (
    changed,
    different,
    parts_of,
    refused,
    relations,
    reworded,
    try_damaged,
    without_spaces,
)

from .xlsx_files import NAMESPACES, read, rows, shared, table, texts, workbook

STRINGS = "xl/sharedStrings.xml"
SHEET = "xl/worksheets/sheet1.xml"
TABLE = "xl/tables/table1.xml"
BOLD = '<rPr><b/><sz val="11"/></rPr>'
CHART = (
    f"{HEAD}<c:chartSpace {NAMESPACES}><c:chart><c:plotArea><c:barChart><c:ser><c:cat><c:strRef>"
    '<c:f>A!$A$1</c:f><c:strCache><c:pt idx="0"><c:v>苹果</c:v></c:pt></c:strCache></c:strRef>'
    "</c:cat></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
)
BOX = (
    f'{HEAD}<xdr:wsDr {NAMESPACES}><xdr:absoluteAnchor><xdr:pos x="0" y="0"/>'
    '<xdr:ext cx="2000000" cy="900000"/><xdr:sp macro="" textlink=""><xdr:nvSpPr>'
    '<xdr:cNvPr id="2" name="框" descr="一个框"/><xdr:cNvSpPr txBox="1"/></xdr:nvSpPr><xdr:spPr>'
    '<a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="900000"/></a:xfrm>'
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr><xdr:txBody><a:bodyPr/>'
    "<a:p><a:r><a:t>框里的字</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:clientData/>"
    "</xdr:absoluteAnchor></xdr:wsDr>"
)
COMMENTS = (
    f"{HEAD}<comments {NAMESPACES}><authors><author>王芳</author></authors><commentList>"
    '<comment ref="A1" authorId="0"><text><r><rPr><b/></rPr><t>王芳:</t></r><r><t>\n请核对</t></r>'
    "</text></comment></commentList></comments>"
)
PRINTED = (
    '<headerFooter><oddHeader>&amp;L&amp;"宋体,常规"&amp;12年度&amp;C第&amp;P页'
    "</oddHeader></headerFooter>"
)
MESSAGE = (
    '<dataValidations count="1"><dataValidation type="list" sqref="B1" promptTitle="请选择" '
    'prompt="从列表中选择" showInputMessage="1"><formula1>"是,否"</formula1></dataValidation>'
    "</dataValidations>"
)
POINTED = '<hyperlinks><hyperlink ref="A1" location="A2" tooltip="去看看"/></hyperlinks>'


def full() -> bytes:
    """A workbook with everything that has text."""
    cells = rows(
        shared("A1", 2) + shared("B1", 4),
        shared("A2", 0),
        '<c r="A3" t="inlineStr"><is><t>直接写的字</t></is></c><c r="B3"><v>3.5</v></c>',
        '<c r="A4" t="str"><f>A1&amp;"斤"</f><v>苹果斤</v></c>' + shared("B4", 2),
    )
    strings = [
        f"<r><t>今天</t></r><r>{BOLD}<t>下雨</t></r>",
        "<t>没有用的</t>",
        "<t>苹果</t>",
        "<t>第二张</t>",
        "<t>是</t>",
    ]
    return workbook(
        strings,
        cells,
        rows(shared("A1", 3)),
        after=MESSAGE + POINTED + PRINTED + '<drawing r:id="rId2"/>',
        beside=(("../comments1.xml", "comments"), ("../drawings/drawing1.xml", "drawing")),
        more={
            "xl/comments1.xml": COMMENTS,
            "xl/drawings/drawing1.xml": BOX,
            "xl/drawings/_rels/drawing1.xml.rels": relations(("../charts/chart1.xml", "chart")),
            "xl/charts/chart1.xml": CHART,
        },
    )


def test_all_text_is_read_in_the_order_of_rows_and_sheets():
    assert texts(full()) == [
        *("苹果", "今天下雨", "直接写的字", "年度", "第", "页", "请选择", "从列表中选择"),
        *("去看看", "王芳:请核对", "一个框", "框里的字", "第二张"),
    ]


def test_an_untouched_workbook_is_the_same_to_the_byte():
    document = read(full())
    assert document.write(document.passages, "en") == full()
    assert document.write(document.passages, "en", bilingual=True) == full()


@pytest.mark.parametrize("bilingual", [False, True])
def test_parts_without_text_stay_to_the_byte(bilingual):
    document = read(full())
    written = document.write([reworded(p) for p in document.passages], "en", bilingual=bilingual)
    assert different(full(), written) == {
        *(STRINGS, SHEET, "xl/comments1.xml", "xl/drawings/drawing1.xml", "xl/charts/chart1.xml"),
    }
    sheet = part(written, SHEET)
    assert '<f>A1&amp;"斤"</f><v>苹果斤</v>' in sheet
    assert '<formula1>"是,否"</formula1>' in sheet
    assert '<c r="B3"><v>3.5</v></c>' in sheet


def test_every_translated_passage_is_read_again():
    document = read(full())
    new = [reworded(passage) for passage in document.passages]
    again = read(document.write(new, "en"))
    assert without_spaces(again.passages) == without_spaces(new)


def test_a_text_of_several_cells_and_of_a_chart_is_translated_once_and_the_same():
    document = read(full())
    new = [Passage("Apple") if p.text == "苹果" else p for p in document.passages]
    written = document.write(new, "en")
    assert different(full(), written) == {STRINGS, "xl/charts/chart1.xml"}
    assert "<si><t>Apple</t></si>" in part(written, STRINGS)
    assert "<c:v>Apple</c:v>" in part(written, "xl/charts/chart1.xml")


def test_a_text_that_a_formula_a_list_or_a_filter_names_stays():
    cells = rows(
        shared("A1", 0), shared("A2", 1), shared("A3", 2), shared("A4", 3), shared("A5", 4)
    )
    strings = [f"<t>{text}</t>" for text in ("完成", "是", "北京", "上海", '说"好"')]
    formula = '<row r="9"><c r="A9"><f>IF(A1="完成",1,A5="说""好""")</f><v>1</v></c></row>'
    after = (
        '<autoFilter ref="A1:A4"><filterColumn colId="0"><filters><filter val="北京"/></filters>'
    )
    document = read(
        workbook(strings, cells + formula, after=after + "</filterColumn></autoFilter>" + MESSAGE)
    )
    assert [p.text for p in document.passages][:1] == ["上海"]
    assert not {"完成", "是", "北京"} & {p.text for p in document.passages}
    assert document.warnings == (
        "Texts of cells that formulas, filters, lists or tables name stay as they are: "
        "完成, 是, 北京, ... (4 in all).",
    )


def test_fields_of_pivot_tables_and_texts_of_rules_stay():
    field = '<cacheFields><cacheField name="地区"/></cacheFields>'
    cache = f"{HEAD}<pivotCacheDefinition {NAMESPACES}>{field}</pivotCacheDefinition>"
    rule = '<cfRule type="containsText" text="急"><formula>1</formula></cfRule>'
    data = workbook(
        ["<t>地区</t>", "<t>急</t>", "<t>华东</t>"],
        rows(shared("A1", 0), shared("A2", 1), shared("A3", 2)),
        after=f'<conditionalFormatting sqref="A1">{rule}</conditionalFormatting>',
        more={"xl/pivotCache/pivotCacheDefinition1.xml": cache},
    )
    links = relations(
        ("worksheets/sheet1.xml", "worksheet"),
        ("sharedStrings.xml", "sharedStrings"),
        ("pivotCache/pivotCacheDefinition1.xml", "pivotCacheDefinition"),
    )
    parts = {**parts_of(data), "xl/_rels/workbook.xml.rels": links}
    assert texts(zipped(parts)) == ["华东"]


def headed(
    *columns: str, strings: tuple[str, ...] = (), formula: str = "", more: str = ""
) -> bytes:
    """A workbook with a table of these columns in row 2, from column B on."""
    items = [f"<t>{text}</t>" for text in strings or columns]
    head = "".join(shared(f"{chr(66 + n)}2", n) for n in range(len(columns)))
    cells = f'<row r="2">{head}</row><row r="3"><c r="B3"><f>{formula}</f><v>1</v></c></row>'
    last = chr(65 + len(columns))
    return workbook(items, cells, tables=(table("表1", f"B2:{last}3", *columns, more=more),))


def test_columns_of_a_table_are_named_like_their_header_cells():
    document = read(headed("姓名", "年龄"))
    assert [passage.text for passage in document.passages] == ["姓名", "年龄"]
    written = document.write([Passage('"Name"'), Passage("Age & <x>")], "en")
    assert 'name="&quot;Name&quot;"' in part(written, TABLE)
    assert 'name="Age &amp; &lt;x>"' in part(written, TABLE) or "&lt;x&gt;" in part(written, TABLE)
    assert "<t>Age &amp; &lt;x&gt;</t>" in part(written, STRINGS)


def test_a_column_with_a_line_break_is_escaped_in_its_name():
    document = read(headed("单价_x000a_元", strings=("单价\n元",)))
    (passage,) = document.passages
    assert passage.marks == (Mark(2, 2, 0),)
    written = document.write([Passage("Price RMB", (Mark(5, 5, 0),))], "en")
    assert 'name="Price_x000a_RMB"' in part(written, TABLE)
    assert '<t xml:space="preserve">Price\nRMB</t>' in part(written, STRINGS)


def test_bilingual_columns_and_header_cells_are_the_same():
    document = read(headed("姓名", "年龄"))
    written = document.write([Passage("Name"), Passage("Age")], "en", bilingual=True)
    assert 'name="Name / 姓名"' in part(written, TABLE)
    assert "<t>Name / 姓名</t>" in part(written, STRINGS)


def test_columns_that_formulas_know_stay_with_their_header_cells():
    data = headed("姓名", "年龄", formula="SUM(表1[年龄])")
    assert texts(data) == []
    assert texts(headed("姓名", "年龄", more=' tableType="queryTable"')) == []
    assert texts(headed("姓名", "别名", strings=("姓名", "年龄"))) == []


@pytest.mark.parametrize("new", [("Name", "name"), ("Name", ""), ("Name", "x" * 256)])
def test_columns_that_would_have_invalid_names_stay(new):
    document = read(headed("姓名", "名字"))
    written = document.write([Passage(text) for text in new], "en")
    assert different(headed("姓名", "名字"), written) == set()


def test_formatting_follows_its_words():
    strings = [
        f'<r><t>今天</t></r><r>{BOLD}<t>下雨</t></r><rPh sb="0" eb="2"><t>キョウ</t></rPh>'
        '<phoneticPr fontId="1"/>'
    ]
    document = read(workbook(strings, rows(shared("A1", 0))))
    assert document.passages == (Passage("今天下雨", (Mark(2, 4, 0),)),)
    written = document.write([Passage("Rain today", (Mark(0, 4, 0),))], "en")
    assert (
        f'<si><r>{BOLD}<t>Rain</t></r><r><t xml:space="preserve"> today</t></r>'
        '<phoneticPr fontId="1"/></si>'
    ) in part(written, STRINGS)


def test_line_breaks_in_a_cell_divide_its_text():
    document = read(workbook(["<t>第一行_x000D_\n第二行</t>"], rows(shared("A1", 0))))
    (passage,) = document.passages
    assert (passage.text, passage.breaks) == ("第一行第二行", (3,))
    new = [Passage("One two", (Mark(3, 3, 0),))]
    assert ">One_x000D_\ntwo</t>" in part(document.write(new, "en"), STRINGS)
    assert ">One_x000D_\ntwo\n第一行_x000D_\n第二行</t>" in part(
        document.write(new, "en", bilingual=True), STRINGS
    )


def test_escapes_and_placeholders_are_kept_parts():
    (passage,) = read(workbook(["<t>你好_x0009_{name}</t>"], rows(shared("A1", 0)))).passages
    assert [passage.text[a:b] for a, b in passage.keep] == ["_x0009_", "{name}"]


def test_texts_that_are_values_without_formulas_are_read():
    cells = rows(
        '<c r="A1" t="str"><v>你好 &amp; 再见</v></c>',
        '<c t="str" r="A2"><f>A1</f><v>你好</v></c>',
        '<c r="A3" t="str"><v>第一行_x000D_\n二</v></c>',
        '<c r="A4" t="n"><v>7</v></c>',
        '<c r="A5" t="str"><f t="array" ref="A5:B6">X</f><v>结果</v></c>',
        '<c r="B6" t="str"><v>结果</v></c>',
    )
    document = read(workbook([], cells))
    assert [p.text for p in document.passages] == ["你好 & 再见", "第一行二"]
    assert document.write(document.passages, "en") == workbook([], cells)
    new = document.write([Passage("a < b & _x0041_"), Passage("two", (Mark(1, 1, 0),))], "en")
    assert "<v>a &lt; b &amp; _x0041_</v>" in part(new, SHEET)
    assert "<v>t_x000D_\nwo</v>" in part(new, SHEET)
    assert "<f>A1</f><v>你好</v>" in part(new, SHEET)
    assert '<c r="B6" t="str"><v>结果</v>' in part(new, SHEET)
    both = document.write([Passage("Hi"), document.passages[1]], "en", bilingual=True)
    assert "<v>Hi / 你好 &amp; 再见</v>" in part(both, SHEET)


def test_a_header_cell_that_is_a_value_names_its_column():
    cells = rows('<c r="A1" t="str"><v>年份</v></c>')
    document = read(workbook([], cells, tables=(table("T", "A1:A2", "年份"),)))
    new = document.write([Passage("Year") for _ in document.passages], "en")
    assert 'name="Year"' in part(new, "xl/tables/table1.xml")
    assert "<v>Year</v>" in part(new, SHEET)


def test_the_author_at_the_start_of_a_comment_is_kept():
    passage = next(p for p in read(full()).passages if "请核对" in p.text)
    assert passage.keep == ((0, 2),)


def test_codes_of_headers_stay_and_new_text_is_no_code():
    document = read(full())
    new = [Passage("2024 R&D") if p.text == "年度" else p for p in document.passages]
    sheet = part(document.write(new, "en"), SHEET)
    assert "&amp;12 2024 R&amp;&amp;D&amp;C第&amp;P页" in sheet


def test_texts_longer_than_a_workbook_may_have_stay():
    document = read(full())
    long = [Passage("x" * 300) if p.text in ("请选择", "年度") else p for p in document.passages]
    assert different(full(), document.write(long, "en")) == set()
    cell = read(workbook(["<t>字</t>"], rows(shared("A1", 0))))
    assert "<t>字</t>" in part(cell.write([Passage("x" * 40_000)], "en"), STRINGS)


def test_a_prefix_of_the_namespace_stays():
    parts = parts_of(workbook(["<t>字</t>"], rows(shared("A1", 0))))
    cell = '<x:c t="{}"><x:{}>{}</x:{}></x:c>'
    rows_ = f"<x:sheetData><x:row>{cell}</x:row></x:sheetData>"
    sheet = f'<x:worksheet xmlns:x="{{}}">{rows_}</x:worksheet>'
    uri = NAMESPACES.split('"')[1]
    parts[SHEET] = sheet.format(uri, "inlineStr", "is", "<x:t>字</x:t>", "is")
    document = read(zipped(parts))
    assert "<x:is><x:t>word</x:t></x:is>" in part(document.write([Passage("word")], "en"), SHEET)
    parts[SHEET] = sheet.format(uri, "s", "v", "0", "v")
    assert texts(zipped(parts)) == ["字"]


def test_damaged_missing_and_other_files_are_named():
    refused(
        Xlsx(), changed(full(), SHEET, "</sheetData>", ""), r"sheet1.xml .* not well-formed XML \(l"
    )
    refused(Xlsx(), changed(full(), STRINGS, "</sst>", ""), r"sharedStrings.xml .* not well-formed")
    refused(Pptx(), full(), r"a \.xlsx, whatever its name says")
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99)
    refused(Xlsx(), old + "EncryptedPackage".encode("utf-16-le"), "protected with a password")
    parts = parts_of(full())
    del parts["xl/worksheets/sheet2.xml"]
    assert "sheet2.xml is named in this file but not there" in read(zipped(parts)).warnings[0]
    (warning, *_) = read(changed(full(), "xl/comments1.xml", "</authors>", "")).warnings
    assert "comments1.xml of this file is not well-formed" in warning


@pytest.mark.parametrize("name", [SHEET, STRINGS, "xl/workbook.xml"])
def test_entities_are_refused(name):
    doctype = '<!DOCTYPE x [<!ENTITY e "lol">]>'
    refused(Xlsx(), changed(full(), name, HEAD, HEAD + doctype), "declares a document type")


def test_macros_are_kept():
    data = zipped({**parts_of(full()), "xl/vbaProject.bin": b"VBA"})
    document = read(data)
    written = document.write([reworded(p) for p in document.passages], "en")
    assert parts_of(written)["xl/vbaProject.bin"] == b"VBA"


def test_numbers_of_strings_that_are_not_there_do_no_harm():
    assert texts(workbook(["<t>字</t>"], rows(shared("A1", 7), shared("A2", 0)))) == ["字"]


def test_many_cells_are_read_and_written_in_linear_time():
    def filled(count: int) -> bytes:
        strings = [f"<t>第{n}个</t>" for n in range(count)]
        cells = rows(*(shared(f"A{n}", n - 1) for n in range(1, count + 1)))
        inline = '<c t="inlineStr"><is><t>甲</t></is></c>' * count
        return workbook(strings, cells, inline)

    def read_and_write(data: bytes) -> None:
        document = read(data)
        document.write([shouted(own) for own in document.passages], "en")

    assert is_linear(read_and_write, filled(500), filled(2000), 4)


@pytest.mark.parametrize(
    "hostile",
    [
        "<c " + ' t="s"' * 60_000 + "/>",
        "<c t='s'><v>" + "1" * 200_000 + "</v></c>",
        "<f>" + '"' * 200_001 + "</f>",
        "<f>" + "a[" * 100_000 + "</f>",
        "<filter " + "x " * 100_000 + "/>",
        "<is>" * 200 + "</is>" * 200,
        '<c t="str"><v>' * 200 + "甲" * 50_000 + "</v></c>" * 200,
        '<f t="array" ref="A1:ZZ9999">' * 1000 + "</f>" * 1000,
    ],
)
def test_hostile_cells_take_linear_time(hostile):
    start = time.process_time()
    try_damaged(Xlsx(), workbook(["<t>字</t>"], hostile))
    assert time.process_time() - start < 2


TEXTS = st.text("ab 中文。&\n_x0D{}", max_size=5).map(lambda text: text.replace("&", "&amp;"))
RUNS = st.builds(
    lambda text, look: f'<r>{look}<t xml:space="preserve">{text}</t></r>',
    TEXTS,
    st.sampled_from(["", BOLD, "<rPr><i/></rPr>"]),
)
CELLS = st.one_of(TEXTS.map(lambda t: f"<t>{t}</t>"), st.lists(RUNS, max_size=4).map("".join))


@settings(max_examples=100, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=4), st.booleans(), st.integers())
def test_whatever_the_cells_nothing_is_lost(cells, inline, seed):
    if inline:
        inner = [f'<c r="A{n}" t="inlineStr"><is>{c}</is></c>' for n, c in enumerate(cells, 1)]
        data = workbook([], rows(*inner))
    else:
        data = workbook(cells, rows(*(shared(f"A{n}", n - 1) for n in range(1, len(cells) + 1))))
    document = read(data)
    assert document.write(document.passages, "en") == data
    new = [moved(own, seed + n) for n, own in enumerate(document.passages)]
    again = read(document.write(new, "en")).passages
    assert set(without_spaces(again)) == set(without_spaces(new))


GOOD = full()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=9))
def test_any_damage_is_told_in_a_sentence_or_does_not_matter(place, damage):
    try_damaged(Xlsx(), GOOD[:place] + damage + GOOD[place + len(damage) :])


def test_random_bytes_in_a_part_never_end_in_a_traceback():
    parts, source = parts_of(GOOD), random.Random(1)
    for _ in range(60):
        name = source.choice(sorted(parts))
        whole = parts[name]
        assert isinstance(whole, bytes)
        cut = source.randrange(len(whole) + 1)
        damaged = whole[:cut] + source.randbytes(3) + whole[cut + 3 :]
        try_damaged(Xlsx(), zipped({**parts, name: damaged}))


def test_a_second_reader_finds_all_text():
    openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl")
    document = read(full())
    new = [reworded(passage) for passage in document.passages]
    opened = openpyxl.load_workbook(io.BytesIO(document.write(new, "en")))
    first, second = opened.worksheets
    assert opened.sheetnames == ["表1", "表2"]
    assert (first["A1"].value, first["B4"].value) == (new[0].text, new[0].text)
    assert (first["A2"].value, first["A3"].value) == (new[1].text, new[2].text)
    assert (first["B1"].value, first["B3"].value, first["A4"].value) == ("是", 3.5, '=A1&"斤"')
    assert first["A1"].comment.text.replace("\n", "") == new[9].text
    assert second["A1"].value == new[12].text
    tabled = read(headed("姓名", "年龄"))
    names = [Passage("Name"), Passage("Age")]
    sheet = openpyxl.load_workbook(io.BytesIO(tabled.write(names, "en"))).worksheets[0]
    assert sheet.tables["表1"].column_names == [sheet["B2"].value, sheet["C2"].value]
