"""Documents with what word processors can do besides plain text, each built with python-docx.

The ten of `docx_samples` have headings, lists, tables, images, links, headers and footers. These
have notes, comments, tracked changes, fields, boxes, controls, charts and so on.
"""

from __future__ import annotations

import io
from collections.abc import Callable

import docx
from docx.document import Document as Word
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml

from .docx_files import HEAD, NAMESPACES, TYPE, R, paragraph, png, run

OFFICE = "application/vnd.openxmlformats-officedocument"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    '<w:r><w:instrText xml:space="preserve"> {0} </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r>{1}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
STAMP = 'w:author="审校" w:date="2024-05-06T07:08:09Z"'


def field(instruction: str, result: str) -> str:
    """A field with its result."""
    return FIELD.format(instruction, result)


def new() -> Word:
    """An empty document without properties."""
    word = docx.Document()
    word.core_properties.comments = word.core_properties.title = ""
    return word


def append(word: Word, *blocks: str) -> None:
    """Add paragraphs and tables at the end of the body."""
    for block in blocks:
        name, found, rest = block.partition(">")
        empty = name.endswith("/")
        head = f"{name.removesuffix('/')} {NAMESPACES}{'/' if empty else ''}"
        word.element.body.insert_element_before(parse_xml(head + found + rest), "w:sectPr")


def add_part(word: Word, name: str, kind: str, type_: str, xml: str) -> str:
    """Add a part that the body refers to; its relation."""
    part = Part(PackURI(f"/word/{name}"), type_, (HEAD + xml).encode(), word.part.package)
    return word.part.relate_to(part, f"{R}/{kind}")


def saved(word: Word) -> bytes:
    out = io.BytesIO()
    word.save(out)
    return out.getvalue()


def _notes(kind: str, notes: list[str]) -> str:
    separators = "".join(
        f'<w:{kind} w:type="{name}" w:id="{n}"><w:p><w:r><w:{name}/></w:r></w:p></w:{kind}>'
        for n, name in enumerate(["separator", "continuationSeparator"], -1)
    )
    own = "".join(
        f'<w:{kind} w:id="{n}">'
        + paragraph(f"<w:r><w:{kind}Ref/></w:r>", run(f" {text}"))
        + f"</w:{kind}>"
        for n, text in enumerate(notes, 1)
    )
    return f"<w:{kind}s {NAMESPACES}>{separators}{own}</w:{kind}s>"


def notes() -> Word:
    """An essay with footnotes and an endnote."""
    word = new()
    word.add_heading("古城的水系", 1)
    foot = ["参见《水经》卷三。", "当地人称之为“暗河”。"]
    kind = f"{TYPE}.footnotes+xml"
    add_part(word, "footnotes.xml", "footnotes", kind, _notes("footnote", foot))
    kind = f"{TYPE}.endnotes+xml"
    add_part(word, "endnotes.xml", "endnotes", kind, _notes("endnote", ["全书终。"]))
    reference = (
        '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{}Reference w:id="{}"/></w:r>'
    )
    append(
        word,
        paragraph(run("城北有三条河"), reference.format("footnote", 1), run("、汇于东门之外。")),
        paragraph(
            run("其中一条"),
            run("终年不见天日", "<w:b/>"),
            reference.format("footnote", 2),
            run("、直到十里以外才流出地面。"),
            reference.format("endnote", 1),
        ),
    )
    return word


def changes() -> Word:
    """A draft with insertions, deletions and moves that nobody has accepted yet."""
    word = new()
    word.add_heading("采购草案", 1)
    append(
        word,
        paragraph(
            run("供方应在"),
            f'<w:del w:id="901" {STAMP}><w:r><w:delText>三十</w:delText></w:r></w:del>',
            f'<w:ins w:id="902" {STAMP}>{run("二十")}</w:ins>',
            run("日内交货。"),
        ),
        paragraph(
            f'<w:ins w:id="903" {STAMP}>{run("逾期每日按千分之一计罚。")}</w:ins>',
            properties=f'<w:rPr><w:ins w:id="904" {STAMP}/></w:rPr>',
        ),
        paragraph(
            run("验收标准", f'<w:b/><w:rPrChange w:id="905" {STAMP}><w:rPr/></w:rPrChange>'),
            run("由双方另行约定。"),
        ),
    )
    return word


def comments() -> Word:
    """A chapter with an editor's comments."""
    word = new()
    inner = "".join(
        f'<w:comment w:id="{n}" w:initials="编" {STAMP}>{paragraph(run(text))}</w:comment>'
        for n, text in enumerate(["这里是否应写明年份。", "语气太重了。"])
    )
    xml = f"<w:comments {NAMESPACES}>{inner}</w:comments>"
    add_part(word, "comments.xml", "comments", f"{TYPE}.comments+xml", xml)
    ranges = (
        '<w:commentRangeStart w:id="{0}"/>{1}<w:commentRangeEnd w:id="{0}"/>'
        '<w:r><w:commentReference w:id="{0}"/></w:r>'
    )
    append(
        word,
        paragraph(run("那年冬天"), ranges.format(0, run("雪下得很早")), run("、山路都封了。")),
        paragraph(ranges.format(1, run("他愤怒地摔门而去。"))),
    )
    return word


BOX = """<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor
distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="{1}" behindDoc="0"
locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>
<wp:positionH relativeFrom="column"><wp:posOffset>3000000</wp:posOffset></wp:positionH>
<wp:positionV relativeFrom="paragraph"><wp:posOffset>200000</wp:posOffset></wp:positionV>
<wp:extent cx="2400000" cy="900000"/><wp:effectExtent l="0" t="0" r="0" b="0"/><wp:wrapSquare
wrapText="bothSides"/><wp:docPr id="{1}" name="box {1}" descr="方框里的提示"/>
<wp:cNvGraphicFramePr/><a:graphic><a:graphicData
uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>
<wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2400000" cy="900000"/>
</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>{0}
</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>
</mc:Choice><mc:Fallback><w:pict><v:shape style="width:190pt;height:70pt"><v:textbox>
<w:txbxContent>{0}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>
</mc:AlternateContent></w:r>"""


def boxes() -> Word:
    """A leaflet with text boxes, for newer and for older programs."""
    word = new()
    tip = paragraph(run("温馨提示", "<w:b/>")) + paragraph(run("请勿携带宠物入内。"))
    hours = paragraph(run("开放时间"), "<w:r><w:tab/></w:r>", run("九点至十七点"))
    append(
        word,
        paragraph(run("植物园欢迎您。"), BOX.format(tip, 41)),
        paragraph(run("园内共有温室六座。")),
        paragraph(BOX.format(hours, 42), run("请从南门出园。")),
    )
    return word


def contents() -> Word:
    """A report with a table of contents, numbered captions, references and page numbers."""
    word = new()
    begin, _, end = field(r'TOC \o "1-3" \h', "|").partition("|")
    entry = run("{0}") + "<w:r><w:tab/></w:r>" + field(r"PAGEREF {1} \h", run("1"))
    link = '<w:hyperlink w:anchor="{1}">' + entry + "</w:hyperlink>"
    mark = '<w:bookmarkStart w:id="{0}" w:name="{1}"/>{2}<w:bookmarkEnd w:id="{0}"/>'
    head = '<w:pStyle w:val="Heading1"/>'
    append(
        word,
        paragraph(begin, link.format("调查背景", "_Toc11")),
        paragraph(link.format("主要结论", "_Toc12"), end),
        paragraph(mark.format(11, "_Toc11", run("调查背景")), properties=head),
        paragraph(
            run("去年十月、我们走访了四十户居民、结果见"),
            field(r"REF _Ref9 \h", run("表 1")),
            run("。"),
        ),
        paragraph(
            mark.format(9, "_Ref9", run("表 ") + field("SEQ Table", run("1"))), run(" 受访者年龄")
        ),
        paragraph(mark.format(12, "_Toc12", run("主要结论")), properties=head),
        paragraph(run("多数人愿意"), run("步行上班", "<w:i/>"), run("。")),
    )
    pages = field("PAGE", run("1")), field("NUMPAGES", run("1"))
    footer = word.sections[0].footer.paragraphs[0]._p
    xml = paragraph(run("第 "), pages[0], run(" 页、共 "), pages[1], run(" 页"))
    footer.getparent().replace(footer, parse_xml(xml.replace("<w:p>", f"<w:p {NAMESPACES}>")))
    return word


def tables() -> Word:
    """A form of tables in each other, with merged cells and a description."""
    word = new()
    cell = '<w:tc><w:tcPr><w:tcW w:w="{1}" w:type="dxa"/>{2}</w:tcPr>{0}</w:tc>'
    inner = (
        '<w:tbl><w:tblPr><w:tblW w:w="2000" w:type="dxa"/></w:tblPr><w:tblGrid>'
        '<w:gridCol w:w="2000"/></w:tblGrid><w:tr>'
        + cell.format(paragraph(run("曾用名")), 2000, "")
        + "</w:tr></w:tbl><w:p/>"
    )
    rows = (
        cell.format(paragraph(run("应聘登记表", "<w:b/>")), 6000, '<w:gridSpan w:val="2"/>'),
        cell.format(paragraph(run("姓名")) + inner, 3000, "")
        + cell.format(paragraph(run("籍贯")) + paragraph(run("住址")), 3000, ""),
    )
    append(
        word,
        '<w:tbl><w:tblPr><w:tblW w:w="6000" w:type="dxa"/><w:tblCaption w:val="登记表"/>'
        '<w:tblDescription w:val="两列的表格"/></w:tblPr><w:tblGrid><w:gridCol w:w="3000"/>'
        '<w:gridCol w:w="3000"/></w:tblGrid>'
        + "".join(f"<w:tr>{row}</w:tr>" for row in rows)
        + "</w:tbl>",
        paragraph(run("以上内容均属实。")),
    )
    return word


def controls() -> Word:
    """A letter form with content controls; the title is bound to that of the document."""
    word = new()
    word.core_properties.title = "入职通知"
    bound = (
        "<w:dataBinding w:prefixMappings=\"xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:cp='"
        "http://schemas.openxmlformats.org/package/2006/metadata/core-properties'\" "
        'w:xpath="/cp:coreProperties[1]/dc:title[1]" '
        'w:storeItemID="{6C3C8BC8-F283-45AE-878A-BAB7291924A1}"/>'
    )
    control = "<w:sdt><w:sdtPr>{1}</w:sdtPr><w:sdtContent>{0}</w:sdtContent></w:sdt>"
    choice = (
        '<w:dropDownList><w:listItem w:displayText="上午" w:value="1"/>'
        '<w:listItem w:displayText="下午" w:value="2"/></w:dropDownList>'
    )
    append(
        word,
        control.format(paragraph(run("入职通知", "<w:b/>")), f'<w:id w:val="71"/>{bound}<w:text/>'),
        paragraph(
            run("请于"), control.format(run("下午"), f'<w:id w:val="72"/>{choice}'), run("报到。")
        ),
        control.format(
            paragraph(run("携带身份证原件。")) + paragraph(run("自备笔记本电脑。")),
            '<w:id w:val="73"/>',
        ),
        paragraph(
            run("联系人 "),
            '<w:smartTag w:uri="urn:x" w:element="name">' + run("周老师") + "</w:smartTag>",
        ),
    )
    return word


def letters() -> Word:
    """A story with a large first letter, a reading aid, a formula, symbols and a hidden word."""
    word = new()
    frame = (
        '<w:keepNext/><w:framePr w:dropCap="drop" w:lines="3" w:wrap="around" w:vAnchor="text" '
        'w:hAnchor="text"/>'
    )
    ruby = (
        '<w:r><w:ruby><w:rubyPr><w:rubyAlign w:val="center"/><w:hps w:val="10"/><w:hpsRaise '
        'w:val="18"/><w:hpsBaseText w:val="21"/><w:lid w:val="zh-CN"/></w:rubyPr><w:rt>'
        + run("pu")
        + "</w:rt><w:rubyBase>"
        + run("瀑布")
        + "</w:rubyBase></w:ruby></w:r>"
    )
    formula = "<m:oMath><m:r><m:t>h=5t</m:t></m:r></m:oMath>"
    append(
        word,
        paragraph(run("从", '<w:sz w:val="90"/>'), properties=frame),
        paragraph(run("前有一座山、山上有一道"), ruby, run("、水声可传十里。")),
        paragraph(run("落差由"), formula, run("算得、与实测相近。")),
        paragraph(
            run("游人"),
            '<w:r><w:sym w:font="Wingdings" w:char="F04A"/></w:r>',
            run("络绎不绝。"),
            run("秘密", "<w:vanish/>"),
        ),
        paragraph(
            run("一九九"), run("八年"), '<w:proofErr w:type="spellEnd"/>', run("始"), run("建")
        ),
    )
    return word


def _chart() -> str:
    def cache(formula: str, *names: str) -> str:
        points = "".join(
            f'<c:pt idx="{n}"><c:v>{name}</c:v></c:pt>' for n, name in enumerate(names)
        )
        count = f'<c:ptCount val="{len(names)}"/>'
        return f"<c:strRef><c:f>{formula}</c:f><c:strCache>{count}{points}</c:strCache></c:strRef>"

    def series(n: int, name: str, column: str) -> str:
        numbers = "".join(f'<c:pt idx="{i}"><c:v>{n + i + 2}</c:v></c:pt>' for i in range(2))
        return (
            f'<c:ser><c:idx val="{n}"/><c:order val="{n}"/>'
            f"<c:tx>{cache(f'Sheet1!${column}$1', name)}</c:tx>"
            f"<c:cat>{cache('Sheet1!$A$2:$A$3', '春季', '秋季')}</c:cat>"
            f"<c:val><c:numRef><c:f>Sheet1!${column}$2:${column}$3</c:f><c:numCache>"
            f'<c:ptCount val="2"/>{numbers}</c:numCache></c:numRef></c:val></c:ser>'
        )

    title = (
        '<a:p><a:pPr><a:defRPr sz="1400"/></a:pPr><a:r><a:rPr lang="zh-CN"/><a:t>招生</a:t></a:r>'
        '<a:r><a:rPr lang="zh-CN" b="1"/><a:t>人数</a:t></a:r><a:endParaRPr lang="zh-CN"/></a:p>'
    )
    axes = (
        '<c:catAx><c:axId val="1"/><c:scaling/><c:delete val="0"/><c:axPos val="b"/>'
        '<c:crossAx val="2"/></c:catAx><c:valAx><c:axId val="2"/><c:scaling/><c:delete val="0"/>'
        '<c:axPos val="l"/><c:crossAx val="1"/></c:valAx>'
    )
    return (
        f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart><c:title><c:tx><c:rich><a:bodyPr/>'
        f'{title}</c:rich></c:tx></c:title><c:plotArea><c:barChart><c:barDir val="col"/>'
        f"{series(0, '文科', 'B')}{series(1, '理科', 'C')}"
        f'<c:axId val="1"/><c:axId val="2"/></c:barChart>{axes}</c:plotArea>'
        '<c:legend><c:legendPos val="r"/></c:legend></c:chart></c:chartSpace>'
    )


def chart() -> Word:
    """A report with a chart in it and a title of its own."""
    word = new()
    word.core_properties.title, word.core_properties.subject = "招生年报", "统计资料"
    word.add_heading("招生概况", 1)
    target = add_part(word, "charts/chart1.xml", "chart", f"{OFFICE}.drawingml.chart+xml", _chart())
    append(
        word,
        paragraph(
            f'<w:r><w:drawing><wp:inline><wp:extent cx="4000000" cy="2400000"/>'
            '<wp:docPr id="1" name="chart" descr="两季招生的柱形图"/><wp:cNvGraphicFramePr/>'
            f'<a:graphic><a:graphicData uri="{C}"><c:chart '
            f'r:id="{target}"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
        ),
        paragraph(run("理科人数逐年上升。")),
    )
    return word


def _chapters(word: Word) -> str:
    """Number chapters in words; the properties of a paragraph that is one."""
    numbering = word.part.numbering_part.element
    level = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/>'
        '<w:lvlText w:val="第%1步"/></w:lvl>'
    )
    definition = f'<w:abstractNum {NAMESPACES} w:abstractNumId="77">{level}</w:abstractNum>'
    numbering.insert(0, parse_xml(definition))
    use = f'<w:num {NAMESPACES} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'
    numbering.append(parse_xml(use))
    return '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="77"/></w:numPr>'


def lists() -> Word:
    """Instructions in lists of two levels, with a link, an image and words cut into runs."""
    word = new()
    step = _chapters(word)
    word.add_heading("更换滤芯", 2)
    for style, text in (
        ("List Number", "关闭进水阀门"),
        ("List Bullet 2", "顺时针旋转"),
        ("List Bullet 2", "直到不能转动"),
        ("List Number", "取出旧滤芯"),
    ):
        word.add_paragraph(text, style=style)
    target = word.part.relate_to("https://example.org/", RELATIONSHIP_TYPE.HYPERLINK, True)
    append(
        word,
        paragraph(run("清洗"), properties=step),
        paragraph(run("晾干"), properties=step),
        paragraph(
            run("如有漏"),
            run("水"),
            run("、请访问"),
            f'<w:hyperlink r:id="{target}" w:tooltip="打开网页">{run("服务", "<w:u/>")}'
            f"{run('网站', '<w:u/>')}</w:hyperlink>",
            run("。"),
        ),
    )
    word.add_picture(io.BytesIO(png()))._inline.docPr.set("descr", "滤芯的位置")
    return word


def sections() -> Word:
    """A booklet in two sections and columns, each with headers of its own and a watermark."""
    word = new()
    first = word.sections[0]
    first.different_first_page_header_footer = True
    first.first_page_header.paragraphs[0].text = "封面页眉"
    first.header.paragraphs[0].text = "上册"
    word.add_paragraph("上卷正文第一段。")
    word.add_page_break()
    word.add_paragraph("翻过来的一页。")
    second = word.add_section()
    second.header.is_linked_to_previous = False
    second.header.paragraphs[0].text = "下册"
    second.different_first_page_header_footer = False
    shape = (
        f'<w:r {NAMESPACES}><w:pict><v:shape type="#t" style="width:200pt;height:60pt">'
        '<v:textpath string="内部草稿"/></v:shape></w:pict></w:r>'
    )
    second.header.paragraphs[0]._p.append(parse_xml(shape))
    word.add_paragraph("下卷正文第一段。").add_run("下卷正文第二句。").add_break()
    return word


RICH: dict[str, Callable[[], Word]] = {
    build.__name__: build
    for build in (
        notes, changes, comments, boxes, contents, tables, controls, letters, chart, lists, sections
    )
}  # fmt: skip


def rich(name: str) -> bytes:
    """The document of this name."""
    return saved(RICH[name]())
