"""Labels: texts outside paragraphs, such as alt texts, chart names, list numbers and the title.

A label is the value of an attribute or the whole text of an element. It has no marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.formats.base import Passage
from longways.formats.office.render import escaped
from longways.formats.office.xml import PROPERTIES, XmlElement
from longways.formats.placeholders import kept_parts

_SHEET_LIMITS = {"promptTitle": 32, "prompt": 255, "errorTitle": 32, "error": 255, "tooltip": 255}
"""The most characters of the messages of a cell; a workbook with longer ones counts as damaged."""
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "wp:docPr": ("descr", "title"),
    "p:cNvPr": ("descr", "title"),
    "xdr:cNvPr": ("descr", "title"),
    "a:hlinkClick": ("tooltip",),
    "x:dataValidation": ("promptTitle", "prompt", "errorTitle", "error"),
    "x:hyperlink": ("tooltip",),
    "table:table-cell": ("office:string-value",),
    "v:shape": ("alt",),
    "v:textpath": ("string",),
    "w:hyperlink": ("w:tooltip",),
    "w:listItem": ("w:displayText",),
    "w:listEntry": ("w:val",),
    "w:tblCaption": ("w:val",),
    "w:tblDescription": ("w:val",),
}
"""Descriptions of images and tables, watermarks, and the choices that a form offers."""
_COMMENTS = frozenset(["p:text", "xtc:text"])
_CACHES = frozenset(["c:strCache", "c:strLit", "c:multiLvlStrCache"])
_REFERENCES = frozenset(["c:strRef", "c:numRef", "c:multiLvlStrRef"])
_VALUE = re.compile(rb"""\s(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_FILE_NAME = re.compile(r"\S+\.[A-Za-z0-9]{2,4}|[A-Za-z]:\\.*|[\w.+-]+://\S*")
_NUMBER = re.compile("%[1-9]")
_CHINESE_DIGITS = ("chinese", "ideograph", "japanese", "korean", "taiwanese")
_QUOTED = {b'"': b"&quot;", b"'": b"&apos;", b"\n": b"&#10;", b"\t": b"&#9;"}


@dataclass(frozen=True)
class Digits:
    """Position of the number format of a list with Chinese numerals."""

    start: int
    end: int


@dataclass(eq=False, slots=True)
class Label:
    """A text at `data[start:end]`, between quotation marks or tags."""

    start: int
    end: int
    passage: Passage
    twin: object = None
    """Another label with the same translation."""
    max_characters: int | None = None
    """The length beyond which the text stays as it was."""
    digits: Digits | None = None
    """For words around a list number, the position of its number format."""

    def written(self, passage: Passage, *, bilingual: bool) -> bytes:
        """The new text, with the original beside it if bilingual."""
        text = f"{passage.text} / {self.passage.text}" if bilingual else passage.text
        if self.max_characters is not None and len(text) > self.max_characters:
            text = self.passage.text
        return re.sub(rb"[\"'\n\t]", lambda match: _QUOTED[match[0]], escaped(text))


class Labels:
    """Finds the labels of one part."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._formula = ""
        self._digits: Digits | None = None
        self._first = dict[tuple[str, ...], Label]()

    def of(self, node: XmlElement, open_: Sequence[XmlElement]) -> Iterator[Label]:
        """Labels of an element that ends inside open elements."""
        if node.name == "a:hlinkClick" and any(outer.name == "a:p" for outer in open_):
            return  # the properties of a run are written with the run
        if "table:formula" in node.attributes:
            return  # the attribute is its result
        if node.name in _ATTRIBUTES:
            yield from self._attributes(node)
        elif node.name == "w:lvlText":
            yield from self._numbering(node)
        elif (node.name in PROPERTIES or node.name in _COMMENTS) and _is_read(node.text):
            yield Label(node.inner, node.close, _passage(node.text))
        elif node.name == "c:v" and _is_read(node.text) and _is_name(open_):
            yield self._name(node, open_[-1])
        else:
            self._note(node)

    def _note(self, node: XmlElement) -> None:
        """Record an element that concerns later labels."""
        if node.name == "c:f":
            self._formula = node.text
        elif node.name in _REFERENCES:
            self._formula = ""
        elif node.name == "w:numFmt":
            chinese = node.attributes.get("w:val", "").startswith(_CHINESE_DIGITS)
            places = (place for name, place in self._values(node) if name == "val")
            self._digits = Digits(*next(places)) if chinese else None

    def _attributes(self, node: XmlElement) -> Iterator[Label]:
        wanted = {_local(name): name for name in _ATTRIBUTES[node.name]}
        for name, place in self._values(node):
            text = node.attributes.get(wanted.get(name, ""), "")
            if _is_read(text):
                limit = _SHEET_LIMITS.get(name) if node.name.startswith("x:") else None
                yield Label(*place, _passage(text), max_characters=limit)

    def _values(self, node: XmlElement) -> Iterator[tuple[str, tuple[int, int]]]:
        return values(self.data, node)

    def _numbering(self, node: XmlElement) -> Iterator[Label]:
        """The words around a number in a list, as in "Chapter %1", if there are any."""
        text = node.attributes.get("w:val", "")
        numbers = [match.span() for match in _NUMBER.finditer(text)]
        places = [place for name, place in self._values(node) if name == "val"]
        if numbers and any(map(str.isalpha, text)) and places:
            passage = Passage(text, (), kept_parts(text, numbers))
            yield Label(*places[0], passage, digits=self._digits)
        self._digits = None

    def _name(self, node: XmlElement, point: XmlElement) -> Label:
        """A name in a chart. Every data series repeats the category names, which become twins."""
        key = self._formula, point.attributes.get("idx", ""), node.text
        label = Label(node.inner, node.close, _passage(node.text), self._first.get(key))
        if self._formula:
            self._first.setdefault(key, label)
        return label


def values(data: bytes, node: XmlElement) -> Iterator[tuple[str, tuple[int, int]]]:
    """Name and range of the value of each attribute of an element."""
    for match in _VALUE.finditer(data, node.start, node.inner):
        yield match[1].decode(), match.span(2 if match[2] is not None else 3)


def _is_name(open_: Sequence[XmlElement]) -> bool:
    """Whether a value in a chart is a name, not a number."""
    if open_ and open_[-1].name == "c:tx":
        return True
    return any(node.name in _CACHES for node in open_[-3:])


def _is_read(text: str) -> bool:
    return bool(text.strip()) and not _FILE_NAME.fullmatch(text.strip())


def _passage(text: str) -> Passage:
    return Passage(text, (), kept_parts(text))


def _local(name: str) -> str:
    return name.rpartition(":")[2]
