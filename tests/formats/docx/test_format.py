"""The .docx format: passages that are read, and the formatting of translations."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace

import pytest
from lxml import etree

from longways.formats.base import Mark, Passage

from .docx_files import body, package, paragraph, part, read, run, shouted, texts

FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> {0} </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r>{1}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
BOLD = "<w:b/>"


def only(content: str, styles: str = "") -> Passage:
    (passage,) = read(package(body(content), styles)).passages
    return passage


def written(content: str, new: Passage, *, bilingual: bool = False, language: str = "en") -> str:
    document = read(package(body(content)))
    xml = part(document.write([new], language, bilingual=bilingual))
    return xml.partition("<w:body>")[2].partition("<w:sectPr/></w:body>")[0]


def translated(content: str, new: str) -> str:
    return written(content, replace(only(content), text=new, keep=()))


def test_runs_that_look_alike_are_one_text_without_marks():
    hint = '<w:rFonts w:hint="eastAsia"/><w:lang w:eastAsia="zh-CN"/>'
    content = paragraph(
        run("系统将"), '<w:proofErr w:type="spellStart"/>', run("自动", hint), run("重启。")
    )
    assert only(content) == Passage("系统将自动重启。")


def test_text_that_looks_otherwise_is_in_a_mark_and_keeps_its_look():
    content = paragraph(run("按下"), run("电源", BOLD), run("键。"))
    assert only(content) == Passage("按下电源键。", (Mark(2, 4, 0),))
    assert written(content, Passage("Press the power key.", (Mark(10, 15, 0),))) == paragraph(
        '<w:r><w:t xml:space="preserve">Press the </w:t></w:r>',
        "<w:r><w:rPr><w:b/></w:rPr><w:t>power</w:t></w:r>",
        '<w:r><w:t xml:space="preserve"> key.</w:t></w:r>',
    )


def test_the_look_of_most_of_a_paragraph_needs_no_mark():
    content = paragraph(run("注意", ""), run("高压危险、切勿触摸。", BOLD))
    assert only(content).marks == (Mark(0, 2, 0),)


def test_what_a_mark_encloses_may_be_longer_than_all_else_and_is_still_the_mark():
    content = paragraph(run("请参阅用户手册"), run("附录", BOLD))
    new = Passage("See a very long appendix", (Mark(4, 24, 0),))
    document = read(package(body(content)))
    assert read(document.write([new], "en")).passages == (new,)


@pytest.mark.parametrize(
    "thing",
    [
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        "<w:r><w:drawing><x/></w:drawing></w:r>",
        '<w:r><w:sym w:font="Wingdings" w:char="F04A"/></w:r>',
        "<m:oMath><m:r><m:t>E</m:t></m:r></m:oMath>",
        '<w:bookmarkStart w:id="0" w:name="_Toc1"/>',
        '<w:commentRangeStart w:id="0"/>',
        '<w:fldSimple w:instr=" PAGE "><w:r><w:t>12</w:t></w:r></w:fldSimple>',
        '<w:del w:id="1" w:author="a"><w:r><w:delText>旧的</w:delText></w:r></w:del>',
        "<w:r><w:br/></w:r>",
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>隐藏</w:t></w:r>",
    ],
)
def test_a_thing_stands_by_itself_and_goes_where_its_mark_goes(thing):
    content = paragraph(run("前面"), thing, run("后面"))
    assert only(content) == Passage("前面后面", (Mark(2, 2, 0),))
    new = written(content, Passage("后前", (Mark(1, 1, 0),)))
    assert new == paragraph("<w:r><w:t>后</w:t></w:r>", thing, "<w:r><w:t>前</w:t></w:r>")


def test_a_page_number_is_a_thing_with_its_instruction_and_its_result():
    content = paragraph(run("第 "), FIELD.format("PAGE", run("12", BOLD)), run(" 页"))
    assert only(content) == Passage("第  页", (Mark(2, 2, 0),))
    assert FIELD.format("PAGE", run("12", BOLD)) in translated(content, "Page .")


@pytest.mark.parametrize(
    "instruction",
    ["REF _Ref1 \\h", "_Ref12 \\h", 'STYLEREF "标题 1"', "TITLE", "FORMTEXT", "ref x"],
)
def test_a_reference_to_text_is_text(instruction):
    content = paragraph(run("见"), FIELD.format(instruction, run("第三章")), run("。"))
    assert only(content) == Passage("见第三章。", (Mark(1, 4, 0),))
    new = written(content, Passage("See chapter 3.", (Mark(4, 13, 0),)))
    assert FIELD.format(instruction, "<w:r><w:t>chapter 3</w:t></w:r>") in new


@pytest.mark.parametrize(
    ("instruction", "result"),
    [("REF _Ref1 \\r \\h", "三"), ("FORMTEXT", "\u2002\u2002"), ("MERGEFIELD 姓名", "张三")],
)
def test_a_reference_to_a_number_and_an_empty_blank_are_things(instruction, result):
    content = paragraph(run("见"), FIELD.format(instruction, run(result)), run("。"))
    assert only(content) == Passage("见。", (Mark(1, 1, 0),))


CONTROL = "<w:sdt><w:sdtPr>{}<w:text/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
BINDING = '<w:dataBinding w:xpath="/x" w:storeItemID="{1}"/>'


def test_a_control_with_new_text_is_no_longer_bound_to_what_is_stored_elsewhere():
    inline = paragraph(run("题"), CONTROL.format(BINDING, run("目")))
    blocks = [CONTROL.format(BINDING, paragraph(run(text))) for text in ("甲", "乙")]
    document = read(package(body(inline + "".join(blocks))))
    old = document.passages
    for place, left in ((0, blocks), (1, [inline, blocks[1]]), (2, [inline, blocks[0]])):
        new = [Passage("x", p.marks) if n == place else p for n, p in enumerate(old)]
        xml = part(document.write(new, "en"))
        assert xml.count(BINDING) == 2
        assert all(block in xml for block in left)


def test_a_field_within_the_instruction_of_another_is_part_of_it():
    inner = FIELD.format("MERGEFIELD name", run("张三"))
    content = paragraph(
        run("致"), FIELD.format(f"</w:instrText></w:r>{inner}<w:r><w:instrText>", run("值"))
    )
    assert only(content) == Passage("致", (Mark(1, 1, 0),))


def test_a_field_that_begins_in_the_middle_of_a_run_is_whole():
    content = (
        '<w:p><w:r><w:t>第</w:t><w:fldChar w:fldCharType="begin"/>'
        "<w:instrText>PAGE</w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="separate"/><w:t>3</w:t><w:fldChar w:fldCharType="end"/>'
        "<w:t>页</w:t></w:r></w:p>"
    )
    assert only(content) == Passage("第页", (Mark(1, 1, 0),))


@pytest.mark.parametrize(
    "link",
    [
        '<w:hyperlink r:id="rId9">{}</w:hyperlink>',
        FIELD.replace("{0}", 'HYPERLINK "https://example.org"').replace("{1}", "{}"),
        '<w:fldSimple w:instr="HYPERLINK x">{}</w:fldSimple>',
        '<w:ins w:id="4" w:author="李">{}</w:ins>',
        "<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
        '<w:smartTag w:element="place"><w:smartTagPr/>{}</w:smartTag>',
    ],
)
def test_what_encloses_text_is_one_mark_with_the_look_of_its_text(link):
    look = '<w:rStyle w:val="Hyperlink"/>'
    content = paragraph(run("访问"), link.format(run("官方网站", look)), run("。"))
    assert only(content) == Passage("访问官方网站。", (Mark(2, 6, 0),))
    new = written(content, Passage("Our site is it.", (Mark(0, 8, 0),)))
    inside = '<w:r><w:rPr><w:rStyle w:val="Hyperlink"/></w:rPr><w:t>Our site</w:t></w:r>'
    assert link.format(inside) in new


def test_the_reading_aid_of_a_word_stays_over_it():
    ruby = (
        "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>běi jīng</w:t></w:r></w:rt>"
        "<w:rubyBase>{}</w:rubyBase></w:ruby></w:r>"
    )
    content = paragraph(run("我住在"), ruby.format(run("北京")), run("。"))
    assert only(content) == Passage("我住在北京。", (Mark(3, 5, 0),))
    assert "<w:rubyBase><w:r><w:t>Beijing</w:t></w:r></w:rubyBase>" in written(
        content, Passage("I live in Beijing.", (Mark(10, 17, 0),))
    )


def test_a_break_between_words_reads_as_a_space_and_is_not_written_as_one():
    content = paragraph(run("Name:"), "<w:r><w:tab/></w:r>", run("value"))
    assert only(content) == Passage("Name: value", (Mark(5, 5, 0),))
    new = paragraph(
        "<w:r><w:t>NAME:</w:t></w:r>", "<w:r><w:tab/></w:r>", "<w:r><w:t>VALUE</w:t></w:r>"
    )
    assert written(content, shouted(only(content))) == new


def test_a_hyphen_that_does_not_break_is_text():
    content = "<w:p><w:r><w:t>2020</w:t><w:noBreakHyphen/><w:t>2021</w:t></w:r></w:p>"
    assert only(content).text == "2020\u20112021"
    assert "<w:t>1</w:t><w:noBreakHyphen/><w:t>2</w:t>" in translated(content, "1\u20112")


def test_text_that_looks_like_markup_stays_text():
    content = paragraph(run("旧"))
    new = Passage("a < b && c > d </w:t> \x0b\r ]]>")
    document = read(package(body(content)))
    assert texts(document.write([new], "en")) == [new.text.replace("\x0b", "")]


def test_a_hint_for_chinese_quotation_marks_is_not_left_on_english_ones():
    content = paragraph(run("“你好”", '<w:rFonts w:ascii="Arial" w:hint="eastAsia"/>'))
    assert '<w:rFonts w:ascii="Arial"/>' in written(content, Passage("“Hello”"))
    assert 'w:hint="eastAsia"' in written(content, Passage("“您好”"), language="zh-TW")


def test_new_text_is_not_squeezed_into_the_width_of_the_old():
    width = '<w:fitText w:val="840" w:id="-1"/>'
    content = paragraph(run("姓", f"<w:b/>{width}"), run("名", "<w:b/>"))
    assert only(content) == Passage("姓名")
    assert written(content, Passage("Name")) == paragraph(run("Name", "<w:b/>")).replace(
        ' xml:space="preserve"', ""
    )


def test_code_is_kept_in_a_sentence_and_is_no_passage_by_itself():
    styles = (
        '<w:style w:type="character" w:styleId="a1"><w:name w:val="HTML Code"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="p1"><w:name w:val="HTML Preformatted"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="p2"><w:name w:val="x"/><w:basedOn w:val="p1"/>'
        "</w:style>"
        '<w:style w:type="paragraph" w:styleId="p3"><w:name w:val="Code of Conduct"/></w:style>'
    )
    code = '<w:rStyle w:val="a1"/>'
    content = (
        paragraph(run("运行"), run("make all", code), run("。"))
        + paragraph(run("int main(void);"), properties='<w:pStyle w:val="p1"/>')
        + paragraph(run("return 0;"), properties='<w:pStyle w:val="p2"/>')
        + paragraph(run("make all", code))
        + paragraph(run("守则"), properties='<w:pStyle w:val="p3"/>')
    )
    passages = read(package(body(content), styles)).passages
    assert passages == (Passage("运行make all。", (Mark(2, 10, 0),), ((2, 10),)), Passage("守则"))


def test_a_document_whose_text_has_a_style_for_code_is_translated_with_a_warning():
    styles = '<w:style w:type="paragraph" w:styleId="p1"><w:name w:val="Plain Code"/></w:style>'
    styles = styles.replace("Plain Code", "HTML Preformatted")
    code = '<w:pStyle w:val="p1"/>'
    pasted = "".join(paragraph(run(f"第{n}行文字很长。"), properties=code) for n in "一二三四五")
    found = read(package(body(paragraph(run("标题")) + pasted), styles))
    assert [passage.text for passage in found.passages][:2] == ["标题", "第一行文字很长。"]
    assert "Most of the text of this file has a style for code" in found.warnings[0]
    listing = paragraph(run("int main(void) { return 0; } // 主函数"), properties=code) * 5
    found = read(package(body(paragraph(run("下面的程序启动服务。")) + listing), styles))
    assert ([passage.text for passage in found.passages], list(found.warnings)) == (
        ["下面的程序启动服务。"], [],
    )  # fmt: skip


def test_parts_are_read_in_order_and_paragraphs_wherever_they_are():
    cell = f"<w:tc>{paragraph(run('格'))}</w:tc>"
    nested = (
        f"<w:tbl><w:tr>{cell}<w:tc><w:tbl><w:tr>{cell}</w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>"
    )
    control = f"<w:sdt><w:sdtContent>{paragraph(run('控件'))}</w:sdtContent></w:sdt>"
    data = package(
        body(paragraph(run("正文")) + nested + control + paragraph(run(" "))),
        comments=f'<w:comment w:id="0">{paragraph(run("批注"))}</w:comment>',
        endnotes=f'<w:endnote w:id="2">{paragraph(run("尾注"))}</w:endnote>',
        footnotes=f'<w:footnote w:id="2">{paragraph(run("脚注"))}</w:footnote>',
        footer1=paragraph(run("页脚")),
        header10=paragraph(run("页眉十")),
        header2=paragraph(run("页眉二")),
    )
    assert texts(data) == [
        *("正文", "格", "格", "控件", "页眉二", "页眉十", "页脚", "脚注", "尾注", "批注")
    ]
    document = read(data)
    new = document.write([shouted(passage) for passage in document.passages], "en")
    assert texts(new) == [shouted(passage).text for passage in document.passages]


BOX = (
    "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><w:txbxContent>{0}"
    "</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>{1}"
    "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def test_a_text_box_is_translated_alike_for_newer_and_older_programs():
    inner = paragraph(run("框内"))
    content = paragraph(run("框外"), BOX.format(inner, inner))
    document = read(package(body(content)))
    assert document.passages == (Passage("框外", (Mark(2, 2, 0),)), Passage("框内"))
    xml = part(document.write([document.passages[0], Passage("inside")], "en"))
    assert xml == body(content.replace(inner, paragraph("<w:r><w:t>inside</w:t></w:r>")))
    both = document.write([Passage("out", (Mark(0, 0, 0),)), Passage("inside")], "en")
    new = paragraph("<w:r><w:t>inside</w:t></w:r>")
    assert part(both) == body(paragraph(BOX.format(new, new), "<w:r><w:t>out</w:t></w:r>"))


def test_older_programs_own_text_is_a_passage_of_its_own():
    content = paragraph(BOX.format(paragraph(run("新")), paragraph(run("旧"))))
    assert texts(package(body(content))) == ["新", "旧"]


def test_a_table_of_contents_over_several_paragraphs_is_text_with_its_page_numbers_kept():
    begin, _, end = FIELD.format("TOC \\o", "|").partition("|")
    entry = run("第一章") + "<w:r><w:tab/></w:r>" + FIELD.format("PAGEREF x", run("1"))
    last = run("第二章") + "<w:r><w:tab/></w:r>" + FIELD.format("PAGEREF y", run("5")) + end
    data = package(body(paragraph(begin, entry) + paragraph(last)))
    document = read(data)
    assert [passage.text for passage in document.passages] == ["第一章", "第二章"]
    new = part(document.write([Passage("One", p.marks) for p in document.passages], "en"))
    assert new.count("fldChar") == part(data).count("fldChar")


def test_a_bookmark_never_ends_before_it_begins():
    content = paragraph(
        '<w:bookmarkStart w:id="7" w:name="x"/>', run("词"), '<w:bookmarkEnd w:id="7"/>'
    )
    new = written(content, Passage("word", (Mark(0, 0, 1), Mark(4, 4, 0))))
    assert new.index("bookmarkStart") < new.index("bookmarkEnd")


def test_a_mark_that_a_translation_has_lost_is_put_at_its_end():
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    content = paragraph(run("文"), note, run("本"))
    assert written(content, Passage("text")) == paragraph("<w:r><w:t>text</w:t></w:r>", note)


def test_what_is_deep_within_each_other_is_written_too():
    box = "<w:r><w:txbxContent>{}</w:txbxContent></w:r>"
    boxes = paragraph(run("底"))
    for _ in range(80):
        boxes = paragraph(run("层"), box.format(boxes))
    looks = [f'<w:sz w:val="{n}"/>' for n in range(300)]
    rows = [run("字", look) for look in [*looks, *reversed(looks)]]
    links = "<w:ins>" * 250 + "".join(rows) + "</w:ins>" * 250
    document = read(package(body(boxes + paragraph(run("文"), links))))
    new = [Passage(p.text.replace("层", "L") + "x", p.marks) for p in document.passages]
    again = read(document.write(new, "en")).passages
    assert [passage.text for passage in again] == [passage.text for passage in new]


def test_marks_beyond_the_text_are_put_at_its_end():
    content = paragraph(run("粗", BOLD), run("文本"), "<w:r><w:tab/></w:r>", run("文"))
    new = written(content, Passage("t", (Mark(5, 9, 0), Mark(-3, -3, 1))))
    empty = "<w:r><w:rPr><w:b/></w:rPr><w:t></w:t></w:r>"
    assert new == paragraph("<w:r><w:tab/></w:r>", "<w:r><w:t>t</w:t></w:r>", empty)


def test_any_prefix_and_the_strict_kind_of_the_format_are_read():
    main = (
        '<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p>'
        "<x:r><x:t>严格</x:t></x:r></x:p></x:body></x:document>"
    )
    document = read(package(main))
    new = document.write([Passage("strict")], "en")
    assert part(new) == main.replace("严格", "strict")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "gb18030"])
def test_a_part_keeps_its_encoding(encoding):
    xml = body(paragraph(run("编码"))).replace("UTF-8", encoding.removesuffix("-sig"))
    document = read(package(xml.encode(encoding)))
    data = document.write([Passage("译码 \U0001f600")], "en")
    assert texts(data) == ["译码 \U0001f600"]
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        raw = file.read("word/document.xml")
    assert raw.startswith(xml.encode(encoding)[:40])
    assert "译码" in raw.decode(encoding)


def test_spaces_at_the_ends_of_a_text_count_only_where_the_file_says_so():
    content = paragraph("<w:r><w:t>  一 </w:t></w:r>", run(" 二 "))
    assert only(content).text == "一 二 "


def test_moved_text_is_read_where_it_is_now():
    old = f'<w:moveFrom w:id="1">{run("句")}</w:moveFrom>'
    content = paragraph(old, run("甲"), f'<w:moveTo w:id="2">{run("句")}</w:moveTo>')
    assert only(content) == Passage("甲句", (Mark(0, 0, 0), Mark(1, 2, 1)))
    new = written(content, Passage("AB", (Mark(0, 0, 0), Mark(1, 2, 1))))
    assert new.startswith(f"<w:p>{old}<w:r><w:t>A</w:t></w:r>")


def test_a_copy_of_the_original_stands_below_in_a_bilingual_document():
    properties = (
        '<w:pStyle w:val="List"/><w:numPr><w:numId w:val="3"/></w:numPr><w:jc w:val="both"/>'
    )
    things = (
        '<w:bookmarkStart w:id="1" w:name="x"/><w:commentRangeStart w:id="0"/>'
        '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:drawing/></w:r><w:r><w:br/></w:r>'
        '<w:bookmarkEnd w:id="1"/>'
    )
    content = paragraph(
        run("甲", BOLD), things, properties=properties + "<w:sectPr><x/></w:sectPr>"
    )
    content = content.replace("<w:p>", '<w:p w14:paraId="00AA" w14:textId="77">')
    new = written(content, replace(only(content), text="A"), bilingual=True)
    for once in (
        "bookmarkStart",
        "commentRangeStart",
        "footnoteReference",
        "drawing",
        "<w:sectPr>",
        "00AA",
    ):
        assert new.count(once) == 1, once
    first, second = re.findall("<w:p[ >].*?</w:p>", new)
    assert "00AA" in first
    assert "<w:sectPr><x/></w:sectPr>" in second
    assert second == paragraph(
        run("甲", BOLD),
        "<w:r><w:br/></w:r>",
        properties='<w:pStyle w:val="List"/><w:pageBreakBefore w:val="0"/><w:numPr>'
        '<w:numId w:val="0"/></w:numPr><w:jc w:val="both"/><w:sectPr><x/></w:sectPr>',
    )


def test_in_a_bilingual_document_a_field_is_copied_as_the_text_it_shows():
    content = paragraph(run("图"), FIELD.format("SEQ Figure", run("4")), run("结构"))
    new = written(content, replace(only(content), text="F"), bilingual=True)
    assert new.count("SEQ Figure") == 1
    assert new.endswith(paragraph(run("图"), run("4"), run("结构")))


def test_a_comment_keeps_its_identity_in_its_last_paragraph():
    comment = paragraph(run("批注")).replace("<w:p>", '<w:p w14:paraId="01">')
    data = package(body(""), comments=f"<w:comment>{comment}</w:comment>")
    new = part(read(data).write([Passage("note")], "en", bilingual=True), "word/comments.xml")
    assert '</w:p><w:p w14:paraId="01">' in new
    assert new.count("paraId") == 1


def test_only_the_paragraphs_with_new_text_change_and_nothing_around_them():
    contents = [paragraph(run(t), properties="<w:jc w:val='left'/>") for t in ("一", "二", "三")]
    odd = "<!-- c -->\r\n<w:tbl ><w:tr\n><w:tc>{}</w:tc></w:tr></w:tbl>"
    data = package(body(contents[0] + odd.format(contents[1]) + contents[2]))
    document = read(data)
    new = [document.passages[0], Passage("two"), document.passages[2]]
    expected = contents[1].replace(run("二"), "<w:r><w:t>two</w:t></w:r>")
    assert part(document.write(new, "en")) == part(data).replace(contents[1], expected)


def test_a_part_is_the_same_but_for_its_text_if_marks_stay_in_their_places():
    content = paragraph(
        run("一"), run("二", BOLD), "<w:r><w:tab/></w:r>", run("三", "<w:i/>"), run("四四四")
    )
    data = package(body(content))
    document = read(data)
    new = document.write([shouted(passage) for passage in document.passages], "en")
    assert without_text(part(new)) == without_text(part(data))


def without_text(xml: str) -> bytes:
    root = etree.fromstring(xml.encode())
    for element in root.iter("{*}t"):
        element.text = ""
        element.attrib.clear()
    return etree.tostring(root, method="c14n")
