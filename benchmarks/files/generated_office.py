"""Generated presentations, workbooks and OpenDocument files: the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.files.archives import OFFICE, PACKAGE, zipped

OPEN = "urn:oasis:names:tc:opendocument:xmlns"
PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def pptx(said: Sequence[str]) -> bytes:
    """A presentation of one slide, each sentence a paragraph with a bold run."""
    runs = '<a:r><a:t>{}</a:t></a:r><a:r><a:rPr b="1"/><a:t>{}</a:t></a:r>'
    inner = "".join(f"<a:p>{runs.format(s[:-4], s[-4:])}</a:p>" for s in said)
    shape = f"<p:sp><p:txBody><a:bodyPr/>{inner}</p:txBody></p:sp>"
    spaces = f'xmlns:p="{PRESENTATION}" xmlns:a="{DRAWING}" xmlns:r="{OFFICE}"'
    slides = '<p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst>'
    return _package(
        {
            "_rels/.rels": _relations({"ppt/presentation.xml": "officeDocument"}),
            "ppt/presentation.xml": f"<p:presentation {spaces}>{slides}</p:presentation>",
            "ppt/_rels/presentation.xml.rels": _relations({"slides/slide1.xml": "slide"}),
            "ppt/slides/slide1.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{shape}</p:spTree>"
            "</p:cSld></p:sld>",
        }
    )


def xlsx(said: Sequence[str]) -> bytes:
    """A workbook of one sheet, each sentence a shared string in a cell of its own."""
    runs = "<si><r><t>{}</t></r><r><rPr><b/></rPr><t>{}</t></r></si>"
    strings = "".join(runs.format(s[:-4], s[-4:]) for s in said)
    cells = "".join(
        f'<row r="{n}"><c r="A{n}" t="s"><v>{n - 1}</v></c></row>' for n in range(1, len(said) + 1)
    )
    sheets = '<sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets>'
    own = {"worksheets/sheet1.xml": "worksheet", "sharedStrings.xml": "sharedStrings"}
    return _package(
        {
            "_rels/.rels": _relations({"xl/workbook.xml": "officeDocument"}),
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}">{sheets}</workbook>',
            "xl/_rels/workbook.xml.rels": _relations(own),
            "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}">{strings}</sst>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{cells}'
            "</sheetData></worksheet>",
        }
    )


def opened(kind: str, before: str, after: str) -> Callable[[Sequence[str]], bytes]:
    """The writer of an OpenDocument kind; each sentence is a paragraph between two texts."""

    def write(said: Sequence[str]) -> bytes:
        lines = (f'{s[:-4]}<text:span text:style-name="B">{s[-4:]}</text:span>' for s in said)
        inner = "".join(f"{before}<text:p>{line}</text:p>{after}" for line in lines)
        names = {name: name for name in ("office", "text", "table")} | {"draw": "drawing"}
        spaces = " ".join(f'xmlns:{key}="{OPEN}:{name}:1.0"' for key, name in names.items())
        body = f"<office:body><office:{kind}>{inner}</office:{kind}></office:body>"
        content = f"<office:document-content {spaces}>{body}</office:document-content>"
        mimetype = f"application/vnd.oasis.opendocument.{kind}"
        return zipped({"mimetype": mimetype.encode(), "content.xml": content.encode()})

    return write


_CELL = '<table:table><table:table-row><table:table-cell office:value-type="string">'
_CELL_END = "</table:table-cell></table:table-row></table:table>"
_FRAME = "<draw:page><draw:frame><draw:text-box>"
_FRAME_END = "</draw:text-box></draw:frame></draw:page>"

OFFICE_WRITERS: dict[str, tuple[str, Callable[[Sequence[str]], bytes]]] = {
    "pptx": (".pptx", pptx),
    "xlsx": (".xlsx", xlsx),
    "odt": (".odt", opened("text", "", "")),
    "odp": (".odp", opened("presentation", _FRAME, _FRAME_END)),
    "ods": (".ods", opened("spreadsheet", _CELL, _CELL_END)),
}
"""The suffix and the writer of each format."""


def _relations(targets: Mapping[str, str]) -> str:
    inner = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for n, (target, kind) in enumerate(targets.items(), 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inner}</Relationships>'


def _package(parts: Mapping[str, str]) -> bytes:
    types = f'<Types xmlns="{PACKAGE}/content-types"/>'
    return zipped(
        {name: part.encode() for name, part in {"[Content_Types].xml": types, **parts}.items()}
    )
