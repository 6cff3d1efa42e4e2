"""Cells of a sheet by their bytes: shared strings, inline strings, and texts that formulas name.

A sheet may have millions of cells, so it is searched by patterns. Only what has text of its own is
parsed: all other bytes of the cells are masked by spaces, and every offset stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat
from xml.sax.saxutils import unescape

from longways.errors import FormatError
from longways.formats.office.package import declared
from longways.formats.office.xml import XmlSource

_NAME = rb"(?:[\w.-]{1,40}:)?"
_CELL = re.compile(
    rb"<" + _NAME + rb"c(?=\s)([^<>]{0,300})>\s{0,20}<" + _NAME + rb"v>\s{0,20}(\d{1,9})\s{0,20}<"
)
_SHARED = re.compile(rb"\st\s?=\s?[\"']s[\"']")
_PLACE = re.compile(rb"\sr\s?=\s?[\"']([A-Z]{1,3}\d{1,7})[\"']")
_CELLS = re.compile(rb"<" + _NAME + rb"sheetData[^<>]*>")
_CELLS_END = re.compile(rb"</" + _NAME + rb"sheetData\s*>")
_INLINE = re.compile(rb"<(" + _NAME + rb"is)(?:\s[^<>]*)?(?<!/)>")
_FORMULA = re.compile(
    rb"<" + _NAME + rb"(?:f|formula[12]?|definedName|calculatedColumnFormula)(?:\s[^<>]{0,2000})?>"
    rb"([^<]*)<"
)
_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_NAMED = re.compile(
    rb"<" + _NAME + rb"(?:filter|customFilter|cacheField|cfRule)\s[^<>]{0,2000}?"
    rb"\s?(?:val|name|text)\s?=\s?\"([^\"<]{1,500})\""
)
_TABLE = re.compile(r"([\w.\\]+)\[")
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&#10;": "\n"}


def shared_strings(data: bytes) -> Iterator[tuple[int, str, int]]:
    """Offset, place such as A1, and number of the shared string, of each cell that has one."""
    for match in _CELL.finditer(data):
        if _SHARED.search(match[1]):
            place = _PLACE.search(match[1])
            yield match.start(), place[1].decode() if place else "", int(match[2])


def place_of(data: bytes, start: int) -> str:
    """The place, such as A1, of the cell whose inline string or value begins at an offset."""
    tag = data.rfind(b"<", max(start - 300, 0), start)
    if data[start - 1 : start] == b">" and data[tag:start].split(b":")[-1].startswith(
        (b"<v", b"v")
    ):
        start, tag = tag, data.rfind(b"<", max(tag - 300, 0), tag)
    found = _PLACE.search(data, max(tag, 0), start)
    return found[1].decode() if found else ""


def masked(source: XmlSource) -> XmlSource:
    """The sheet with spaces instead of cells without a text of their own."""
    data = source.data
    check_xml(source)
    start, ends = _CELLS.search(data), list(_CELLS_END.finditer(data))
    if not start or not ends or b"<!--" in data or b"<![CDATA[" in data:
        return source
    chunks, place, last = [data[: start.end()]], start.end(), ends[-1].start()
    for opened in _INLINE.finditer(data, place, last):
        end = data.find(b"</" + opened[1] + b">", opened.end(), last)
        if opened.start() < place or end < 0:
            continue
        end += len(opened[1]) + 3
        chunks += [b" " * (opened.start() - place), data[opened.start() : end]]
        place = end
    chunks += [b" " * (last - place), data[last:]]
    return XmlSource(source.name, b"".join(chunks), source.bom, source.encoding)


def check_xml(source: XmlSource) -> None:
    """Raise if a part is not well-formed, or declares a document type."""
    parser = expat.ParserCreate("utf-8")

    def refuse(*_: object) -> None:
        raise declared(source.name)

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        raise FormatError(
            f"The part {source.name} of this file is not well-formed XML (line {error.lineno}, "
            f"column {error.offset + 1}: {expat.ErrorString(error.code)}). The file is damaged: "
            "get it once more from where it came."
        ) from error


def named_texts(data: bytes) -> Iterator[str]:
    """Texts that formulas, lists, filters, rules and pivot tables know cells by."""
    for match in _FORMULA.finditer(data):
        if b'"' in match[1] or b"&quot;" in match[1]:
            formula = unescape(match[1].decode(), _ENTITIES)
            for literal in _LITERAL.findall(formula):
                text = literal.replace('""', '"')
                yield text
                yield from text.split(",")
    for match in _NAMED.finditer(data):
        yield unescape(match[1].decode(), _ENTITIES)


def named_tables(data: bytes) -> Iterator[str]:
    """Names before a bracket in formulas, as in Table1[Name], in lower case."""
    for match in _FORMULA.finditer(data):
        if b"[" in match[1]:
            yield from (name.lower() for name in _TABLE.findall(match[1].decode()))
