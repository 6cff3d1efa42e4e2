"""Presentations: which text is read in which order, and what a translation leaves as it is."""

from __future__ import annotations

import io
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.docx.format import Docx
from longways.formats.pptx.format import Pptx
from tests.effort import is_linear
from tests.formats.docx.docx_files import part, shouted, zipped
from tests.formats.docx.test_properties import moved
from tests.formats.office.office_files import (
    changed,
    different,
    parts_of,
    refused,
    reworded,
    try_damaged,
    without_spaces,
)

from .pptx_files import group, paragraph, presentation, read, run, shape, table, texts

SLIDE = "ppt/slides/slide1.xml"
NUMBER = '<a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:t>1</a:t></a:fld>'
CHART = (
    "<c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>销量</a:t></a:r></a:p></c:rich>"
    "</c:tx></c:title><c:plotArea><c:barChart><c:ser><c:cat><c:strRef><c:f>S!$A$1</c:f>"
    '<c:strCache><c:pt idx="0"><c:v>春季</c:v></c:pt></c:strCache></c:strRef></c:cat>'
    '<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>12</c:v></c:pt></c:numCache></c:numRef>'
    "</c:val></c:ser></c:barChart></c:plotArea></c:chart>"
)
DATA = "<dgm:ptLst><dgm:pt><dgm:t><a:bodyPr/>{}</dgm:t></dgm:pt></dgm:ptLst>"
DRAWN = "<dsp:sp><dsp:txBody><a:bodyPr/>{}</dsp:txBody></dsp:sp>"
COMMENT = '<p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>请核对数字。</p:text></p:cm>'
LINK = '<a:hlinkClick r:id="rId9"/>'
BOLD = ' b="1"'


def full() -> bytes:
    """A presentation with everything that has text."""
    first = shape(
        paragraph(run("今"), run("天讨论"), run("预算", BOLD), run("。", ' dirty="0"')),
        paragraph(run("第一行"), '<a:br><a:rPr lang="zh-CN"/></a:br>', run("第二行")),
        paragraph(run("第"), NUMBER, run("页")),
        described=' descr="一张照片" title="照片"',
    )
    boxes = group(group(shape(paragraph(run("组合中的文字")))))
    cells = table(paragraph(run("姓名\t年龄")), paragraph(run("见网站", inner=LINK)))
    return presentation(
        first + boxes + cells,
        shape(paragraph(run("第二张"))),
        notesSlide=shape(paragraph(run("提醒大家。"))),
        chart=CHART,
        diagramData=DATA.format(paragraph(run("准备"))),
        diagramDrawing=DRAWN.format(paragraph(run("准备"))),
        comments=COMMENT,
        properties="<dc:title>年度报告</dc:title>",
    )


def test_all_text_is_read_slide_by_slide():
    assert texts(full()) == [
        *("一张照片", "照片", "今天讨论预算。", "第一行第二行", "第页", "组合中的文字"),
        *("姓名年龄", "见网站", "销量", "春季", "准备", "请核对数字。", "提醒大家。", "第二张"),
        "年度报告",
    ]


def test_slides_are_read_in_the_order_of_the_presentation():
    slides = [shape(paragraph(run(text))) for text in ("一", "二", "三")]
    assert texts(presentation(*slides, order=(3, 1, 2))) == ["三", "一", "二"]
    assert texts(presentation(*slides, order=(2, 3))) == ["二", "三"]


def test_an_untouched_presentation_is_the_same_to_the_byte():
    data = full()
    document = read(data)
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data
    assert document.warnings == ()


@pytest.mark.parametrize("bilingual", [False, True])
def test_parts_without_text_stay_to_the_byte(bilingual):
    data = full()
    document = read(data)
    written = document.write([reworded(p) for p in document.passages], "en", bilingual=bilingual)
    names = different(data, written)
    assert {name.rpartition("/")[2] for name in names} == {
        *("slide1.xml", "slide2.xml", "notesSlide1.xml", "chart1.xml", "diagramData1.xml"),
        *("diagramDrawing1.xml", "comments1.xml", "core.xml"),
    }
    assert not re.search("[\u4e00-\u9fff]", part(written, "ppt/charts/chart1.xml")) or bilingual


def test_every_translated_passage_is_read_again():
    document = read(full())
    new = [reworded(passage) for passage in document.passages]
    again = read(document.write(new, "en"))
    assert without_spaces(again.passages) == without_spaces(new)


def test_formatting_follows_its_words_and_other_attributes_stay():
    document = read(presentation(shape(paragraph(run("今天"), run("下雨", BOLD)))))
    assert document.passages == (Passage("今天下雨", (Mark(2, 4, 0),)),)
    xml = part(document.write([Passage("Rain today", (Mark(0, 4, 0),))], "en"), SLIDE)
    assert '<a:rPr lang="zh-CN" b="1"></a:rPr><a:t>Rain</a:t>' in xml
    assert '<a:rPr lang="zh-CN"></a:rPr><a:t> today</a:t>' in xml
    assert xml.index("today") < xml.index('<a:endParaRPr lang="zh-CN"/></a:p>')


def test_a_link_follows_its_words():
    document = read(presentation(shape(paragraph(run("请看"), run("网站", inner=LINK)))))
    xml = part(document.write([Passage("The site", (Mark(4, 8, 0),))], "en"), SLIDE)
    assert f"{LINK}</a:rPr><a:t>site</a:t>" in xml


def test_line_breaks_and_tabs_divide_a_paragraph():
    data = presentation(shape(paragraph(run("甲\t乙"), "<a:br/>", run("丙"))))
    document = read(data)
    assert document.passages[0].breaks == (1, 2)
    xml = part(document.write([Passage("A B C", (Mark(1, 1, 0), Mark(3, 3, 1)))], "en"), SLIDE)
    assert (
        "<a:r><a:t>A</a:t></a:r><a:r><a:t>\t</a:t></a:r><a:r><a:t>B</a:t></a:r><a:br/>"
        "<a:r><a:t>C</a:t></a:r>"
    ) in re.sub("<a:rPr[^>]*></a:rPr>", "", xml)


def test_fields_keep_their_element():
    document = read(presentation(shape(paragraph(run("第"), NUMBER, run("页")))))
    (passage,) = document.passages
    assert passage.marks == (Mark(1, 1, 0),)
    assert NUMBER in part(document.write([Passage("Page ", (Mark(5, 5, 0),))], "en"), SLIDE)


def test_both_texts_of_a_bilingual_slide_are_in_one_paragraph():
    data = presentation(shape(paragraph(run("今天"), properties='<a:pPr lvl="1"/>')))
    written = read(data).write([Passage("Today")], "en", bilingual=True)
    xml = part(written, SLIDE)
    assert xml.count("<a:p>") == part(data, SLIDE).count("<a:p>")
    assert re.search("Today</a:t></a:r><a:br/><a:r>.*今天", xml)


def test_a_diagram_and_its_drawing_get_the_same_translation():
    document = read(full())
    number = [passage.text for passage in document.passages].index("准备")
    new = list(document.passages)
    new[number] = Passage("Prepare")
    written = document.write(new, "en")
    assert different(full(), written) == {
        "ppt/diagramDatas/diagramData1.xml",
        "ppt/diagramDrawings/diagramDrawing1.xml",
    }


def test_the_fallback_for_older_programs_gets_the_same_translation():
    box = shape(paragraph(run("文字")))
    both = (
        f'<mc:AlternateContent><mc:Choice Requires="p14">{box}</mc:Choice>'
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    document = read(presentation(both))
    assert [passage.text for passage in document.passages] == ["文字"]
    xml = part(document.write([Passage("Text")], "en"), SLIDE)
    assert xml.count("<a:t>Text</a:t>") == 2


def test_placeholders_are_kept_parts():
    (passage,) = read(presentation(shape(paragraph(run("你好{{na"), run("me}}", BOLD))))).passages
    assert [passage.text[start:end] for start, end in passage.keep] == ["{{name}}"]


def test_a_missing_slide_is_warned_of_and_left_out():
    parts = parts_of(presentation(shape(paragraph(run("一"))), shape(paragraph(run("二")))))
    del parts["ppt/slides/slide1.xml"]
    document = read(zipped(parts))
    assert [passage.text for passage in document.passages] == ["二"]
    assert document.warnings == (
        "The slide ppt/slides/slide1.xml is named in this file but not there; it is left out.",
    )


def test_a_damaged_chart_is_warned_of_and_stays():
    data = changed(full(), "ppt/charts/chart1.xml", "</c:chart>", "")
    document = read(data)
    (warning,) = document.warnings
    assert warning.startswith("The part ppt/charts/chart1.xml of this file is not well-formed")
    written = document.write([reworded(p) for p in document.passages], "en")
    assert "ppt/charts/chart1.xml" not in different(data, written)


def test_a_damaged_slide_is_refused():
    data = changed(full(), SLIDE, "</p:spTree>", "")
    refused(Pptx(), data, r"slide1.xml of this file is not well-formed XML \(line 2")


def test_macros_and_signatures_are_kept():
    data = zipped(
        {**parts_of(full()), "ppt/vbaProject.bin": b"VBA", "_xmlsignatures/s.xml": "<x/>"}
    )
    document = read(data)
    assert "digital signature" in document.warnings[0]
    written = document.write([reworded(p) for p in document.passages], "en")
    assert parts_of(written)["ppt/vbaProject.bin"] == b"VBA"


def test_other_kinds_of_files_are_named():
    refused(Docx(), full(), r"a \.pptx, whatever its name says. .* --format pptx")
    refused(Pptx(), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), r"older kind, such as \.doc")
    refused(Pptx(), full()[:200], "cannot be opened as a zip file")
    odf = zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"})
    refused(Pptx(), odf, "OpenDocument file, whatever its name says")


@pytest.mark.parametrize("name", [SLIDE, "ppt/presentation.xml"])
def test_a_document_type_is_refused(name):
    doctype = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><p:'
    first = "<p:sld " if name == SLIDE else "<p:presentation "
    refused(Pptx(), changed(full(), name, first, doctype + first[3:]), "declares a document type")


def test_groups_too_deep_within_each_other_are_refused():
    deep = "<p:grpSp>" * 300 + "</p:grpSp>" * 300
    refused(Pptx(), presentation(deep), "256 deep")


def test_many_runs_are_read_and_written_in_linear_time():
    def presented(count: int) -> bytes:
        content = "".join(run("文", BOLD if n % 2 else "") for n in range(count))
        return presentation(shape(paragraph(content)) * 2)

    assert is_linear(read_and_write, presented(1000), presented(4000), 4)


def read_and_write(data: bytes) -> None:
    document = read(data)
    document.write([shouted(passage) for passage in document.passages], "en")


RUNS = st.builds(
    run,
    st.text("ab 中文。&\t{}", max_size=5).map(lambda text: text.replace("&", "&amp;")),
    st.sampled_from(["", "", BOLD, ' i="1"', ' dirty="0"']),
)
PARAGRAPHS = st.lists(st.one_of(RUNS, RUNS, st.sampled_from(["<a:br/>", NUMBER])), max_size=5)
SHAPES = st.lists(PARAGRAPHS.map(lambda content: paragraph(*content)), max_size=3)
SLIDES = st.one_of(SHAPES.map(lambda p: shape(*p)), SHAPES.map(lambda p: group(table(*p))))


@settings(max_examples=100, deadline=None)
@given(st.lists(SLIDES, min_size=1, max_size=3), st.integers())
def test_whatever_the_slides_nothing_is_lost(slides, seed):
    data = presentation(*slides)
    document = read(data)
    assert document.write(document.passages, "en") == data
    new = [moved(own, seed + n) for n, own in enumerate(document.passages)]
    written = document.write(new, "en")
    assert without_spaces(read(written).passages) == without_spaces(new)
    elements = re.compile(r"<(a:(?:br|fld|p|pPr|tc|endParaRPr)|p:\w+)[ />]")
    names = [f"ppt/slides/slide{n}.xml" for n in range(1, len(slides) + 1)]
    for name in names:
        kinds = (elements.findall(part(file, name)) for file in (data, written))
        assert sorted(next(kinds)) == sorted(next(kinds))


GOOD = full()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=9))
def test_any_damage_is_told_in_a_sentence_or_does_not_matter(place, damage):
    try_damaged(Pptx(), GOOD[:place] + damage + GOOD[place + len(damage) :])


def test_a_line_end_in_the_name_of_a_part_is_said_in_one_line():
    name = b"ppt/notesSlides/notesSlide1.xml"
    assert name in GOOD
    with pytest.raises(FormatError, match="a control character in its name") as found:
        read(GOOD.replace(name, b"\n" + name[1:]))
    assert "\n" not in str(found.value)


def test_a_second_reader_finds_all_text():
    pptx = pytest.importorskip("pptx", reason="needs python-pptx")
    document = read(full())
    new = [reworded(passage) for passage in document.passages]
    opened = pptx.Presentation(io.BytesIO(document.write(new, "en")))
    first, second = opened.slides
    assert first.shapes[0].text_frame.text.splitlines()[0] == new[2].text
    assert first.shapes[1].shapes[0].shapes[0].text_frame.text == new[5].text
    assert first.shapes[2].table.cell(0, 1).text_frame.text == new[7].text
    assert first.notes_slide.shapes[0].text_frame.text == new[12].text
    assert second.shapes[0].text_frame.text == new[13].text


def test_random_bytes_in_a_part_never_end_in_a_traceback():
    parts, source = parts_of(GOOD), random.Random(1)
    for _ in range(60):
        name = source.choice(sorted(parts))
        whole = parts[name]
        assert isinstance(whole, bytes)
        cut = source.randrange(len(whole) + 1)
        damaged = whole[:cut] + source.randbytes(3) + whole[cut + 3 :]
        try_damaged(Pptx(), zipped({**parts, name: damaged}))
