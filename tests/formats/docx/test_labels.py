"""Texts outside paragraphs: descriptions, charts, diagrams, list numbers, titles."""

from __future__ import annotations

import pytest

from longways.formats.base import Mark, Passage

from .docx_files import body, package, paragraph, part, read, run, shouted, texts

DRAWING = '<w:r><w:drawing><wp:docPr id="1" name="图片 1" {}/></w:drawing></w:r>'
TITLE = "<a:p><a:pPr algn='ctr'/>{}<a:endParaRPr lang='zh-CN'/></a:p>"


def shout(data: bytes, *, bilingual: bool = False) -> bytes:
    document = read(data)
    return document.write([shouted(p) for p in document.passages], "en", bilingual=bilingual)


def drawn(text: str, look: str = "") -> str:
    return f'<a:r><a:rPr lang="zh-CN"{look}/><a:t>{text}</a:t></a:r>'


def column(formula: str, *names: str) -> str:
    points = "".join(f"<c:pt idx='{n}'><c:v>{name}</c:v></c:pt>" for n, name in enumerate(names))
    return f"<c:strRef><c:f>{formula}</c:f><c:strCache>{points}</c:strCache></c:strRef>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<w:r><w:drawing><wp:docPr name='n' descr='", "'/></w:drawing></w:r>"),
        ('<w:r><w:drawing><wp:docPr name="n" title="', '"/></w:drawing></w:r>'),
        ('<w:r><w:pict><v:shape alt="', '"/></w:pict></w:r>'),
        ('<w:r><w:pict><v:shape><v:textpath string = "', '"/></v:shape></w:pict></w:r>'),
        ('<w:hyperlink w:anchor="x" w:tooltip="', f'">{run("链接")}</w:hyperlink>'),
        ('<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:value="1" w:displayText="',
         f'"/></w:dropDownList></w:sdtPr><w:sdtContent>{run("选项")}</w:sdtContent></w:sdt>'),
        ('<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:listEntry w:val="',
         '"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'),
    ],
)  # fmt: skip
def test_what_is_read_in_an_attribute_is_a_passage_and_is_exchanged_in_its_place(before, after):
    data = package(body(paragraph(run("文"), before + "老" + after)))
    document = read(data)
    place = [p.text for p in document.passages].index("老")
    only = list(document.passages)
    only[place] = Passage("a \"b\" 'c' <d> & e\n\tf")
    new = document.write(only, "en")
    value = "a &quot;b&quot; &apos;c&apos; &lt;d&gt; &amp; e&#10;&#9;f"
    assert part(new) == part(data).replace(before + "老", before + value)
    assert [p.text for p in read(new).passages] == [p.text for p in only]
    assert before + "耂" in part(shout(data))


def test_the_description_of_a_table_is_a_passage():
    table = '<w:tbl><w:tblPr><w:tblCaption w:val="题"/><w:tblDescription w:val="述"/></w:tblPr>'
    assert texts(package(body(f"{table}<w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"))) == ["题", "述"]


@pytest.mark.parametrize("name", ["logo.png", "C:\\图 片\\甲.png", "https://example.org/a", " "])
def test_the_name_of_a_file_is_no_description(name):
    assert texts(package(body(paragraph(DRAWING.format(f'descr="{name}"'))))) == []


def test_a_description_is_beside_its_translation_in_a_bilingual_document():
    data = package(body(paragraph(DRAWING.format('descr="山"'))))
    assert 'descr="hill / 山"' in part(read(data).write([Passage("hill")], "en", bilingual=True))


def test_a_chart_has_a_title_of_runs_and_names_that_are_the_same_in_each_row_of_numbers():
    title = TITLE.format(drawn("招生") + drawn("人数", ' b="1"'))
    rows = "".join(
        f"<c:ser><c:tx>{column(f'S!{n}', name)}</c:tx><c:cat>{column('S!A', '春', '秋')}</c:cat>"
        f"<c:val><c:numRef><c:f>S!B</c:f><c:numCache><c:pt idx='0'><c:v>7</c:v></c:pt></c:numCache>"
        "</c:numRef></c:val></c:ser>"
        for n, name in enumerate(["文", "理"])
    )
    data = package(body(""), chart1=title + rows)
    document = read(data)
    assert [p.text for p in document.passages] == ["招生人数", "文", "春", "秋", "理"]
    assert document.passages[0].marks == (Mark(2, 4, 0),)
    new = document.write(
        [
            Passage(" Number of men", (Mark(11, 14, 0),)),
            *map(Passage, ["arts", "spring", "fall", "sci"]),
        ],
        "en",
    )
    xml = part(new, "word/chart1.xml")
    assert TITLE.format(drawn(" Number of ") + drawn("men", ' b="1"')) in xml
    assert xml.count(">spring<") == xml.count(">fall<") == 2
    assert "春" not in xml
    assert texts(new) == [" Number of men", "arts", "spring", "fall", "sci"]
    assert "xml:space" not in xml


def test_a_bilingual_chart_has_its_old_title_below_the_new_one():
    title = TITLE.format(drawn("题"))
    new = read(package(body(""), chart1=title)).write([Passage("title")], "en", bilingual=True)
    assert TITLE.format(drawn("title")) + title in part(new, "word/chart1.xml")


def test_what_is_drawn_of_a_diagram_is_the_text_of_its_data():
    points = [TITLE.format(drawn(text)) for text in ("一", "二", "一")]
    data = package(body(""), diagramData1="".join(points), diagramDrawing1="".join(points))
    document = read(data)
    assert [p.text for p in document.passages] == ["一", "二", "一"]
    new = document.write([Passage(t) for t in ("first", "second", "third")], "en")
    expected = "".join(TITLE.format(drawn(text)) for text in ("first", "second", "third"))
    assert expected in part(new, "word/diagramData1.xml")
    assert expected in part(new, "word/diagramDrawing1.xml")


def test_the_title_and_other_properties_come_last():
    properties = (
        "<dc:title>年报</dc:title><dc:creator>张三</dc:creator><cp:keywords>税; 费</cp:keywords>"
    )
    data = package(body(paragraph(run("正文"))), properties=properties)
    assert texts(data) == ["正文", "年报", "税; 费"]
    new = part(shout(data), "docProps/core.xml")
    assert "<dc:creator>张三</dc:creator>" in new
    assert "年报" not in new


LEVEL = '<w:lvl w:ilvl="0"><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'


def test_the_words_of_a_number_are_a_passage_and_the_number_is_kept():
    data = package(body(""), numbering=LEVEL.format("chineseCounting", "第%1章"))
    document = read(data)
    assert document.passages == (Passage("第%1章", (), ((1, 3),)),)
    new = [Passage("Chapter %1", (), ((8, 10),))]
    written = document.write(new, "en")
    assert LEVEL.format("decimal", "Chapter %1") in part(written, "word/numbering.xml")
    assert read(written).passages == tuple(new)
    japanese = part(document.write([Passage("%1章")], "ja"), "word/numbering.xml")
    assert LEVEL.format("chineseCounting", "%1章") in japanese


@pytest.mark.parametrize("text", ["%1.", "%1、", "o", "\uf0b7", ""])
def test_a_number_without_words_and_a_bullet_are_no_passage(text):
    assert texts(package(body(""), numbering=LEVEL.format("bullet", text))) == []


def test_a_chart_that_cannot_be_read_stays_as_it_is_with_a_warning():
    data = package(body(paragraph(run("正文"))), chart1="<a:p>")
    document = read(data)
    assert [p.text for p in document.passages] == ["正文"]
    (warning,) = document.warnings
    assert warning.startswith("The part word/chart1.xml of this file is not well-formed XML")
    assert warning.endswith("Its text is not translated.")
    assert part(shout(data), "word/chart1.xml") == part(data, "word/chart1.xml")


def test_a_file_of_another_kind_within_a_document_is_warned_of():
    document = read(package(body(paragraph(run("正文"))), aFChunk1="x"))
    assert document.warnings == (
        "The part word/aFChunk1.xml of this file is a file of another kind; its text is not "
        "translated.",
    )
