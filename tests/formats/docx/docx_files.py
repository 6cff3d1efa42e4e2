"""Documents for tests: raw parts in a zip, and their readable text."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from dataclasses import replace

from longways.formats.base import Passage
from longways.formats.docx.format import Docx
from longways.formats.office.document import OfficeDocument

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DUBLIN = (
    f'xmlns:cp="{PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
ROOTS = {"header": "hdr", "footer": "ftr"}


def body(xml: str) -> str:
    """A main part around this content."""
    return f"{HEAD}<w:document {NAMESPACES}><w:body>{xml}<w:sectPr/></w:body></w:document>"


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    look = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*content: str, properties: str = "") -> str:
    """A paragraph of runs."""
    inner = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f"<w:p>{inner}{''.join(content)}</w:p>"


def package(main: str | bytes, styles: str = "", properties: str = "", **others: str) -> bytes:
    """A file of a main part and others, named by their kind and a number: header1, comments."""
    names = {f"word/{name}.xml": name.rstrip("0123456789") for name in others}
    relations = [(f"{name}.xml", name.rstrip("0123456789")) for name in others]
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _types(list(names)),
        "_rels/.rels": _relations(
            [("word/document.xml", "officeDocument"), ("docProps/core.xml", "core-properties")]
        ),
        "word/document.xml": main,
        "word/_rels/document.xml.rels": _relations([*relations, ("styles.xml", "styles")]),
        "word/styles.xml": f"<w:styles {NAMESPACES}>{styles}</w:styles>",
    }
    for name, content in others.items():
        kind = name.rstrip("0123456789")
        root = f"w:{ROOTS.get(kind, kind)}"
        parts[f"word/{name}.xml"] = f"{HEAD}<{root} {NAMESPACES}>{content}</{root}>"
    if properties:
        parts["docProps/core.xml"] = f"<cp:coreProperties {DUBLIN}>{properties}</cp:coreProperties>"
    return zipped(parts)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(zipfile.ZipInfo(name, (2021, 3, 4, 5, 6, 8)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def part(data: bytes, name: str = "word/document.xml") -> str:
    """A part of a file as text."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.read(name).decode()


def read(data: bytes, language: str = "zh") -> OfficeDocument:
    return Docx().read(data, language)


def shouted(passage: Passage) -> Passage:
    """A translation of the same length with other characters, and marks in the same places."""
    text = "".join(
        c.upper() if c.upper() != c and len(c.upper()) == 1 else _other(c) for c in passage.text
    )
    return replace(passage, text=text)


def _other(character: str) -> str:
    if "\u4e00" <= character < "\u9ff0":
        return chr(ord(character) + 1)
    return character


def texts(data: bytes, language: str = "zh") -> list[str]:
    return [passage.text for passage in read(data, language).passages]


def png() -> bytes:
    """An image of one red pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0\xff\0\0")), (b"IEND", b"")]
    packed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def _relations(targets: list[tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="rId{n}" Type="{R}/{kind}" Target="{target}"/>'
        for n, (target, kind) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inner}</Relationships>'


def _types(names: list[str]) -> str:
    kinds = {name: name.removeprefix("word/").rstrip("0123456789.xml") for name in names}
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{TYPE}.{kind}+xml"/>'
        for name, kind in kinds.items()
    )
    return (
        f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{TYPE}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{TYPE}.styles+xml"/>'
        f"{overrides}</Types>"
    )
