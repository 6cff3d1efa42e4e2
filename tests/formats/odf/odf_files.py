"""OpenDocument files for tests, from the XML of their bodies."""

from __future__ import annotations

import io
import zipfile

from longways.formats.odf.format import Odp, Ods, Odt
from longways.formats.office.document import OfficeDocument

FORMATS = {"odt": Odt(), "odp": Odp(), "ods": Ods()}
BODIES = {"odt": "text", "odp": "presentation", "ods": "spreadsheet"}
URN = "urn:oasis:names:tc:opendocument:xmlns"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{URN}:{name}:1.0"'
    for prefix, name in {
        **{name: name for name in ("office", "text", "table", "style", "presentation", "meta")},
        **{"draw": "drawing", "svg": "svg-compatible", "fo": "xsl-fo-compatible"},
        **{"chart": "chart"},
    }.items()
)
NAMESPACES += (
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:officeooo="http://openoffice.org/2009/office" office:version="1.3"'
)
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
AUTOMATIC = (
    '<style:style style:name="T1" style:family="text"><style:text-properties '
    'fo:font-weight="bold"/></style:style>'
    '<style:style style:name="T2" style:family="text"><style:text-properties '
    'officeooo:rsid="0012ab" fo:language="zh"/></style:style>'
    '<style:style style:name="P9" style:family="paragraph" '
    'style:parent-style-name="Preformatted_20_Text"/>'
)


def document(kind: str, body: str, header: str = "", title: str = "", **more: str) -> bytes:
    """A file of a kind; the header is of its pages, `more` are parts by name."""
    inner = f"<office:{BODIES[kind]}>{body}</office:{BODIES[kind]}>"
    page = (
        '<style:page-layout style:name="pm1"><style:page-layout-properties '
        'fo:page-width="21cm" fo:page-height="29cm"/><style:header-style/></style:page-layout>'
    )
    master = (
        '<style:master-page style:name="Standard" style:page-layout-name="pm1">'
        f"<style:header>{header}</style:header></style:master-page>"
    )
    mimetype = f"application/vnd.oasis.opendocument.{BODIES[kind]}"
    parts = {
        "content.xml": f"{HEAD}<office:document-content {NAMESPACES}><office:automatic-styles>"
        f"{AUTOMATIC}</office:automatic-styles><office:body>{inner}</office:body>"
        "</office:document-content>",
        "styles.xml": f"{HEAD}<office:document-styles {NAMESPACES}><office:automatic-styles>{page}"
        f"</office:automatic-styles><office:master-styles>{master if header else ''}"
        "</office:master-styles></office:document-styles>",
        "meta.xml": f"{HEAD}<office:document-meta {NAMESPACES}><office:meta>"
        f"<dc:title>{title}</dc:title></office:meta></office:document-meta>",
        **more,
    }
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>'
        for name in parts
    )
    parts["META-INF/manifest.xml"] = (
        f'{HEAD}<manifest:manifest xmlns:manifest="{URN}:manifest:1.0" manifest:version="1.3">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{mimetype}"/>{entries}'
        "</manifest:manifest>"
    )
    return packed({"mimetype": mimetype, **parts})


def packed(parts: dict[str, str] | dict[str, str | bytes]) -> bytes:
    """A zip file whose mimetype is stored, as the format asks for."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in parts.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            file.writestr(zipfile.ZipInfo(name, (2021, 3, 4, 5, 6, 8)), data, kind)
    return out.getvalue()


def p(content: str) -> str:
    return f"<text:p>{content}</text:p>"


def bold(content: str) -> str:
    return f'<text:span text:style-name="T1">{content}</text:span>'


def sheet(*cells: str) -> str:
    """A table of a spreadsheet, each cell in a row."""
    rows = "".join(f"<table:table-row>{cell}</table:table-row>" for cell in cells)
    return f'<table:table table:name="表一">{rows}</table:table>'


def cell(text: str, more: str = ' office:value-type="string"') -> str:
    return f"<table:table-cell{more}>{p(text)}</table:table-cell>"


def read(data: bytes, kind: str = "odt") -> OfficeDocument:
    return FORMATS[kind].read(data, "zh")


def texts(data: bytes, kind: str = "odt") -> list[str]:
    return [passage.text for passage in read(data, kind).passages]
