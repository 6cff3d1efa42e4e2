"""XML scanner for a part that records the byte range of each element.

Text is replaced at these ranges, so that all other bytes stay unchanged. Elements are kept only
within a paragraph that has not ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.parsers import expat

from longways.errors import FormatError
from longways.formats.office.package import as_utf8, declared

MAX_DEPTH = 256
"""Maximum nesting of elements."""

MAX_BUFFER = 1 << 20
"""Bytes of text that the parser gives at a time. No text of a part is longer than the part."""

_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p:",
    "http://purl.oclc.org/ooxml/presentationml/main": "p:",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "x:",
    "http://purl.oclc.org/ooxml/spreadsheetml/main": "x:",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "xtc:",
    "http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing": "xdr:",
    "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing": "xdr:",
    "http://schemas.microsoft.com/office/word/2012/wordml": "w15:",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a:",
    "http://purl.oclc.org/ooxml/drawingml/main": "a:",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp:",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": "wp:",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c:",
    "http://purl.oclc.org/ooxml/drawingml/chart": "c:",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text:",
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office:",
    "urn:oasis:names:tc:opendocument:xmlns:table:1.0": "table:",
    "urn:oasis:names:tc:opendocument:xmlns:style:1.0": "style:",
    "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0": "svg:",
    "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0": "presentation:",
    "urn:oasis:names:tc:opendocument:xmlns:meta:1.0": "meta:",
    "urn:schemas-microsoft-com:vml": "v:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp:",
}
STRINGS = frozenset(["x:si", "x:is", "x:text"])
"""Elements of a workbook with the text of a cell or a comment."""
PARAGRAPHS = STRINGS | {"w:p", "a:p", "text:p", "text:h"}
MIXED = frozenset(["text:p", "text:h", "text:span", "text:a", "text:ruby-base", "text:meta"])
"""Elements of OpenDocument with text between their children."""
TEXT = "#text"
"""The name of a text among the children of an element; such a child has no range."""
PROPERTIES = frozenset(
    [
        *("dc:title", "dc:subject", "dc:description", "cp:keywords", "cp:category"),
        *("meta:keyword", "svg:title", "svg:desc", "text:index-title-template"),
        *("presentation:header-decl", "presentation:footer-decl"),
    ]
)
"""Properties of the whole document, descriptions of pictures, and other elements of text only."""
_TEXTS = PROPERTIES | {
    "w:t",
    "w:instrText",
    "a:t",
    "x:t",
    "x:author",
    "p:text",
    "xtc:text",
    "c:v",
    "c:f",
}
_TAG = re.compile(rb"<[^>\"']*(?:(?:\"[^\"]*\"|'[^']*')[^>\"']*)*>")


@dataclass(slots=True)
class XmlElement:
    """An element: `data[start:inner]` is its start tag, `data[close:end]` its end tag."""

    name: str
    """Name with the usual prefix of its namespace, as in w:p, whatever prefix the file uses."""
    attributes: dict[str, str]
    start: int
    inner: int
    close: int = 0
    end: int = 0
    children: list[XmlElement] = field(default_factory=list)
    text: str = ""

    def child(self, name: str) -> XmlElement | None:
        """The first child of this name."""
        return next((child for child in self.children if child.name == name), None)


@dataclass(frozen=True)
class XmlSource:
    """A part as UTF-8, and how it was encoded."""

    name: str
    data: bytes
    bom: bytes = b""
    encoding: str = "utf-8"

    @classmethod
    def of(cls, name: str, data: bytes) -> XmlSource:
        """Decode a part in its declared encoding."""
        return cls(name, *as_utf8(name, data))

    def encoded(self, data: bytes) -> bytes:
        """Encode other UTF-8 data like this part, with its byte order mark."""
        if self.encoding == "utf-8":
            return self.bom + data
        return self.bom + data.decode().encode(self.encoding, "xmlcharrefreplace")


class Scanner:
    """Reads a part from its first to its last element."""

    def __init__(
        self, source: XmlSource, ended: Callable[[XmlElement, list[XmlElement]], None]
    ) -> None:
        self.source, self._ended = source, ended
        self.open: list[XmlElement] = []
        self.root = ""
        self._paragraphs = 0
        self._names: dict[str, str] = {}
        self._parser = parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text, parser.buffer_size = True, min(MAX_BUFFER, len(source.data) + 1)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def scan(self) -> None:
        """Call `ended` with each element at its end, and with those that are still open."""
        try:
            self._parser.Parse(self.source.data, True)
        except expat.ExpatError as error:
            raise FormatError(
                f"The part {self.source.name} of this file is not well-formed XML (line "
                f"{error.lineno}, column {error.offset + 1}: {expat.ErrorString(error.code)}). "
                "The file is damaged: get it once more from where it came."
            ) from error
        finally:
            del self._parser  # it refers to the scanner, so both would stay in memory

    def _doctype(self, *_: object) -> None:
        raise declared(self.source.name)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise FormatError(
                f"The part {self.source.name} of this file has elements more than {MAX_DEPTH} "
                f"deep within each other (line {self._parser.CurrentLineNumber}). "
                "Simplify its tables and groups."
            )
        start = self._parser.CurrentByteIndex
        tag = _TAG.match(self.source.data, start)
        assert tag  # a start tag begins here
        known = {self._name(key): value for key, value in attributes.items()}
        node = XmlElement(self._name(name), known, start, tag.end())
        self.root = self.root or node.name
        if self._paragraphs:
            self.open[-1].children.append(node)
        self._paragraphs += node.name in PARAGRAPHS
        self.open.append(node)

    def _end(self, _: str) -> None:
        node, data = self.open.pop(), self.source.data
        if data[node.inner - 2 : node.inner] == b"/>":
            node.close = node.end = node.inner
        else:
            node.close = self._parser.CurrentByteIndex
            node.end = data.index(b">", node.close) + 1
        self._paragraphs -= node.name in PARAGRAPHS
        self._ended(node, self.open)

    def _text(self, text: str) -> None:
        if self.open[-1].name in MIXED and self._paragraphs:
            self.open[-1].children.append(XmlElement(TEXT, {}, 0, 0, text=text))
            return
        if self.open[-1].name in _TEXTS:
            self.open[-1].text += text

    def _name(self, name: str) -> str:
        """The name with its usual prefix; names of other namespaces stay as they are."""
        if name not in self._names:
            uri, _, local = name.rpartition(" ")
            self._names[name] = _PREFIXES[uri] + local if uri in _PREFIXES else name
        return self._names[name]
