"""Presentations for tests, from the XML of their slides."""

from __future__ import annotations

from longways.formats.office.document import OfficeDocument
from longways.formats.pptx.format import Pptx
from tests.formats.docx.docx_files import DUBLIN, HEAD, R, zipped
from tests.formats.office.office_files import A, Parts, content_types, relations

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
NAMESPACES = (
    f'xmlns:a="{A}" xmlns:r="{R}" xmlns:p="{P}" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"'
)
TYPE = "application/vnd.openxmlformats-officedocument.presentationml"
TREE = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{}'
_COLOURS = [f"accent{n}" for n in range(1, 7)] + ["hlink", "folHlink"]
MAPPED = 'bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" ' + " ".join(f'{c}="{c}"' for c in _COLOURS)
ROOTS = {"comments": "p:cmLst", "chart": "c:chartSpace", "diagramData": "dgm:dataModel"}
FOLDERS = {"chart": "charts", "comments": "comments"}


def run(text: str, look: str = "", inner: str = "") -> str:
    """A run with attributes and elements of its look."""
    return f'<a:r><a:rPr lang="zh-CN"{look}>{inner}</a:rPr><a:t>{text}</a:t></a:r>'


def paragraph(*content: str, properties: str = "") -> str:
    return f'<a:p>{properties}{"".join(content)}<a:endParaRPr lang="zh-CN"/></a:p>'


def shape(*paragraphs: str, described: str = "", number: int = 2) -> str:
    """A text box with a size, so that it is shown."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="形状 {number}"{described}/>'
        '<p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="9000000" cy="3000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/>'
        "</a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>"
        f"{''.join(paragraphs)}</p:txBody></p:sp>"
    )


def table(*cells: str) -> str:
    """A table of one row."""
    inner = "".join(
        f"<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>{cell}</a:txBody><a:tcPr/></a:tc>"
        for cell in cells
    )
    columns = '<a:gridCol w="3000000"/>' * len(cells)
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="表格"/><p:cNvGraphicFramePr/>'
        '<p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="4000000"/>'
        '<a:ext cx="6000000" cy="400000"/></p:xfrm><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl>'
        f'<a:tblPr/><a:tblGrid>{columns}</a:tblGrid><a:tr h="400000">{inner}</a:tr></a:tbl>'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )


def group(*shapes: str) -> str:
    return (
        '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="20" name="组合"/><p:cNvGrpSpPr/><p:nvPr/>'
        f"</p:nvGrpSpPr><p:grpSpPr/>{''.join(shapes)}</p:grpSp>"
    )


def sheet(root: str, tree: str, more: str = "") -> str:
    """A slide, a layout, a master or notes."""
    shown = f"<p:cSld><p:spTree>{TREE.format(tree)}</p:spTree></p:cSld>{more}"
    return f"{HEAD}<p:{root} {NAMESPACES}>{shown}</p:{root}>"


def presentation(*slides: str, order: tuple[int, ...] = (), **others: str) -> bytes:
    """A file of slides; others belong to the first slide: notesSlide, chart, comments, ..."""
    order = order or tuple(range(1, len(slides) + 1))
    parts = _frame(order, slides)
    beside = [("../slideLayouts/slideLayout1.xml", "slideLayout")]
    for kind, content in others.items():
        if kind != "properties":
            name = f"{FOLDERS.get(kind, kind + 's')}/{kind}1.xml"
            beside.append((f"../{name}", kind))
            parts[f"ppt/{name}"] = _beside(kind, content)
    for number, tree in enumerate(slides, 1):
        parts[f"ppt/slides/slide{number}.xml"] = sheet("sld", tree)
        own = beside if number == 1 else beside[:1]
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(*own)
    parts["docProps/core.xml"] = (
        f"<cp:coreProperties {DUBLIN}>{others.get('properties', '')}</cp:coreProperties>"
    )
    return zipped(parts)


def _beside(kind: str, content: str) -> str:
    if kind == "notesSlide":
        return sheet("notes", content)
    if kind == "diagramDrawing":
        tree = f"<dsp:spTree>{content}</dsp:spTree>"
        return f"{HEAD}<dsp:drawing {NAMESPACES}>{tree}</dsp:drawing>"
    return f"{HEAD}<{ROOTS[kind]} {NAMESPACES}>{content}</{ROOTS[kind]}>"


def _frame(order: tuple[int, ...], slides: tuple[str, ...]) -> Parts:
    """The presentation with a master and a layout that have text of their own."""
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in order)
    masters = f'<p:sldMasterIdLst><p:sldMasterId r:id="rId{len(slides) + 1}"/></p:sldMasterIdLst>'
    size = '<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>'
    inner = f"{masters}<p:sldIdLst>{listed}</p:sldIdLst>{size}"
    names = {"slideLayout1": "sldLayout", "slideMaster1": "sldMaster"}
    kinds = {f"ppt/slides/slide{n}.xml": f"{TYPE}.slide+xml" for n in range(1, len(slides) + 1)}
    kinds |= {f"ppt/{name[:-1]}s/{name}.xml": f"{TYPE}.{name[:-1]}+xml" for name in names}
    kinds["ppt/notesSlides/notesSlide1.xml"] = f"{TYPE}.notesSlide+xml"
    kinds["ppt/presentation.xml"] = f"{TYPE}.presentation.main+xml"
    own = [(f"slides/slide{n}.xml", "slide") for n in range(1, len(slides) + 1)]
    static = shape(paragraph(run("母版文字")))
    layout = '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'
    return {
        "[Content_Types].xml": content_types(kinds),
        "_rels/.rels": relations(
            ("ppt/presentation.xml", "officeDocument"), ("docProps/core.xml", "core-properties")
        ),
        "ppt/presentation.xml": f"{HEAD}<p:presentation {NAMESPACES}>{inner}</p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *own, ("slideMasters/slideMaster1.xml", "slideMaster")
        ),
        "ppt/slideMasters/slideMaster1.xml": sheet(
            "sldMaster", static, f"<p:clrMap {MAPPED}/>{layout}"
        ),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": relations(
            ("../slideLayouts/slideLayout1.xml", "slideLayout")
        ),
        "ppt/slideLayouts/slideLayout1.xml": sheet("sldLayout", static),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relations(
            ("../slideMasters/slideMaster1.xml", "slideMaster")
        ),
    }


def read(data: bytes) -> OfficeDocument:
    return Pptx().read(data, "zh")


def texts(data: bytes) -> list[str]:
    return [passage.text for passage in read(data).passages]
