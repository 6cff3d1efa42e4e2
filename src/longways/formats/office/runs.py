"""Tokens of a paragraph: text, standalone items, and edges of enclosing elements.

Word splits text into runs arbitrarily. Each child of a run is a token that refers to its run, so
that tokens can be moved; runs are merged again when they are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from longways.formats.office.styles import Look, Styles
from longways.formats.office.xml import XmlElement

Raw = Callable[[int, int], bytes]
"""Returns the bytes of a range of the part, with new paragraphs in it."""

HYPHEN = "\u2011"
"""Text of the element for a non-breaking hyphen."""

BREAKS = frozenset(["w:br", "w:cr", "w:tab", "w:ptab"])
"""Elements that separate words like a space."""

_STALE = frozenset(["w:proofErr", "w:lastRenderedPageBreak", "w:softHyphen"])
"""Stale data about the old text: spelling, page ends, hyphenation. A paragraph with new text is
written without it."""

_ENCLOSING = {
    "w:hyperlink": "",
    "w:ins": "",
    "w:moveTo": "",
    "w:dir": "",
    "w:bdo": "",
    "w:smartTag": "w:smartTagPr",
    "w:customXml": "w:customXmlPr",
}
"""Elements that enclose runs, and their first child that is not a run."""

_LINK = re.compile(
    r"""\s* (?: (?: HYPERLINK | TOC | TOA | INDEX | BIBLIOGRAPHY | TITLE | SUBJECT | FORMTEXT ) \b
          | (?: REF \b | STYLEREF \b | _Ref\d ) (?! .* \\[nprtw]\b ) )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Fields whose result is text; references to numbers are not included."""
_NAME = re.compile(rb"<([^\s/>]+)")


@dataclass(frozen=True, eq=False, slots=True)
class TextRun:
    """Tag and look of a run, shared by its tokens."""

    tag: bytes
    look: Look
    drawing: bool = False
    """Whether the run is in a drawing, where runs contain only text."""

    ends: bytes | None = None
    """The end tags of a run that is not one element, such as a span within a span."""
    writer: Callable[[str], bytes] | None = None
    """How its text is written, if not as elements of a run."""

    @property
    def before(self) -> bytes:
        """Start tag and properties of the run."""
        return self.tag + self.look.raw

    @property
    def after(self) -> bytes:
        """End tag of the run."""
        return closing(self.tag) if self.ends is None else self.ends


@dataclass(frozen=True, eq=False, slots=True)
class Leaf:
    """Text or a standalone item: a child of a run or of the paragraph."""

    name: str
    start: int
    end: int
    run: TextRun | None = None
    text: str | None = None
    """The readable text; None for a standalone item."""
    detail: str = ""
    """For a field, which end, or its instruction; for a range, its id; for a break, its kind."""
    bytes_: bytes = b""
    """What is written instead of the range: an element that exists only in the passage."""

    def written(self, raw: Raw) -> bytes:
        """The original bytes, in a separate run."""
        inner = self.bytes_ or raw(self.start, self.end)
        return self.run.before + inner + self.run.after if self.run else inner


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Tokens that form one item: a field with its instruction and its result."""

    tokens: tuple[Token, ...]
    name: str = "field"

    def written(self, raw: Raw) -> bytes:
        """The original bytes."""
        return b"".join(token.written(raw) for token in self.tokens)


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """Start or end of an enclosing element: a link, an insertion, a content control."""

    name: str
    opens: bool
    bytes_: bytes = b""
    start: int = 0
    end: int = 0
    """Range in the file, if it is contiguous."""
    group: Group | None = None
    """Instead of bytes, the tokens of a field before or after its result."""

    def written(self, raw: Raw) -> bytes:
        """The original bytes."""
        if self.group:
            return self.group.written(raw)
        return raw(self.start, self.end) if self.end else self.bytes_


Thing = Leaf | Group
Token = Leaf | Group | Edge


def closing(tag: bytes) -> bytes:
    """The end tag for a start tag."""
    name = _NAME.match(tag)
    assert name  # a start tag has one
    return b"</" + name[1] + b">"


class Tokens:
    """Reads the tokens of the paragraphs of one part."""

    def __init__(self, data: bytes, styles: Styles, *, drawing: bool = False) -> None:
        self.data, self.styles, self.drawing = data, styles, drawing

    def of(self, node: XmlElement) -> Iterator[Token]:
        """The tokens of a paragraph, or of anything that has runs."""
        for child in node.children:
            if child.name == "w:r":
                yield from self._run(child)
            elif content := _content(child):
                yield from self._enclosed(child, content)
            elif child.name not in _STALE and child.name != "w:pPr":
                yield Leaf(child.name, child.start, child.end, detail=_detail(child))

    def _enclosed(self, node: XmlElement, content: tuple[int, int, XmlElement]) -> Iterator[Token]:
        start, end, inner = content
        yield Edge(node.name, True, self.data[node.start : start], node.start, start)
        yield from self.of(inner)
        yield Edge(node.name, False, self.data[end : node.end], end, node.end)

    def _run(self, node: XmlElement) -> Iterator[Token]:
        properties = node.child("w:rPr")
        raw = self.data[properties.start : properties.end] if properties else b""
        look = self.styles.look(raw, properties)
        run = TextRun(self.data[node.start : node.inner], look, self.drawing)
        for child in node.children:
            base = child.child("w:rubyBase") if child.name == "w:ruby" else None
            if base and base.close > base.inner:
                yield Edge("w:ruby", True, run.before + self.data[child.start : base.inner])
                yield from self.of(base)
                yield Edge("w:ruby", False, self.data[base.close : child.end] + run.after)
            elif self.drawing and "\t" in child.text:
                yield from _tabbed(child, run)
            elif child.name not in _STALE and child.name != "w:rPr":
                text = None if run.look.hidden else _text(child)
                yield Leaf(child.name, child.start, child.end, run, text, _detail(child))


def _tabbed(node: XmlElement, run: TextRun) -> Iterator[Leaf]:
    """The text of a drawing as text and tabs, which are characters there."""
    tab = b"<%b>\t</%b>" % ((closing(run.tag)[2:-2] + b"t",) * 2)
    for number, text in enumerate(node.text.split("\t")):
        if number:
            yield Leaf("w:tab", node.start, node.end, run, bytes_=tab)
        if text:
            yield Leaf(node.name, node.start, node.end, run, text)


def _content(node: XmlElement) -> tuple[int, int, XmlElement] | None:
    """Start and end of the runs in an enclosing element, and their direct parent."""
    if node.close == node.inner:
        return None
    if node.name == "w:sdt":
        inner = node.child("w:sdtContent")
        return (inner.inner, inner.close, inner) if inner and inner.close > inner.inner else None
    if node.name == "w:fldSimple" and _LINK.match(node.attributes.get("w:instr", "")):
        return node.inner, node.close, node
    if node.name not in _ENCLOSING:
        return None
    first = node.child(_ENCLOSING[node.name])
    if first is None:
        return node.inner, node.close, node
    node.children.remove(first)
    return first.end, node.close, node


def _text(node: XmlElement) -> str | None:
    if node.name == "w:t":
        spaced = node.attributes.get("xml:space") == "preserve"
        return node.text if spaced else node.text.strip(" \t\r\n")
    return HYPHEN if node.name == "w:noBreakHyphen" else None


def _detail(node: XmlElement) -> str:
    if node.name == "w:instrText":
        return node.text
    name = {"w:fldChar": "w:fldCharType", "w:br": "w:type"}.get(node.name, "w:id")
    return node.attributes.get(name, "")


def is_link(instruction: str) -> bool:
    """Whether people read the result of a field as text: a link, a table of contents, a title."""
    return _LINK.match(instruction) is not None
