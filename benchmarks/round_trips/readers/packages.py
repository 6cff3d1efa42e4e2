"""Zip packages: the blocks of all parts, and the words of the parts that people read."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from benchmarks.round_trips.readers.seen import Seen
from longways.formats.html.elements import names

BLOCKS = names(
    "p h tbl tr tc sp pic graphicFrame grpSp drawing hyperlink row c f si mergeCell list list-item "
    "table table-row table-cell page frame note annotation comment h1 h2 h3 h4 li td th ul ol nav "
    "navPoint item itemref img a blockquote pre code caption"
)
"""Elements of packages that a translation must not add, drop or move."""
_WORDS = frozenset(
    ["t", "v", "p", "h", "span", "text", "title", "b", "em", "li", "td", "a", "h1", "h2", "h3"]
)
_PARTS = re.compile(r"\.(?:xml|xhtml|opf|ncx)$")
_NO_TEXT = re.compile(
    r"docProps/app|theme|slideMaster|slideLayout|notesMaster|settings|styles|rels$|container\.xml"
    r"|manifest|Content_Types|workbook\.xml"
)
"""Parts with names, styles and prompts."""


def package(data: bytes) -> Seen:
    """The blocks of all parts of a zip file, and the words of the parts that people read."""
    from lxml import etree

    structure, texts = list[Any](), list[str]()
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            if not _PARTS.search(name):
                structure.append((name, file.read(name)))
                continue
            root = etree.fromstring(file.read(name))
            found = [etree.QName(e).localname for e in root.iter("{*}*")]
            structure.append((name, [local for local in found if local in BLOCKS]))
            if not _NO_TEXT.search(name):
                texts += _words(root)
    return Seen(structure, texts)


def _words(root: Any) -> Iterator[str]:
    from lxml import etree

    for element in root.iter("{*}*"):
        local = etree.QName(element).localname
        if local in _WORDS and element.text and not element.text.isspace():
            yield element.text
        above = element.getparent()
        tail = element.tail if above is None or etree.QName(above).localname != "pre" else ""
        if tail and not tail.isspace():
            yield tail
