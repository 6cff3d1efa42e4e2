"""A paragraph as a row of tokens: text, things between text, and the edges of what encloses text.

Word cuts text into runs wherever it likes. Here each child of a run stands for itself and knows its
run, so that it can be moved, and runs are put together again when they are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from longways.translate.formats.docx_styles import Look, Styles
from longways.translate.formats.docx_xml import Node

Raw = Callable[[int, int], bytes]
"""The bytes of a part between two places, with what is new in the paragraphs among them."""

HYPHEN = "\u2011"
"""How an element for a hyphen that does not break reads."""

BREAKS = frozenset(["w:br", "w:cr", "w:tab", "w:ptab"])
"""What separates words as a space does."""

_STALE = frozenset(["w:proofErr", "w:lastRenderedPageBreak", "w:softHyphen"])
"""What a word processor noted about the old text: misspelt words, ends of pages, hyphenation. It is
left out of a paragraph with new text."""

_ENCLOSING = {
    "w:hyperlink": "",
    "w:ins": "",
    "w:moveTo": "",
    "w:dir": "",
    "w:bdo": "",
    "w:smartTag": "w:smartTagPr",
    "w:customXml": "w:customXmlPr",
}
"""What encloses runs, and its first child that is not one."""

_LINK = re.compile(
    r"""\s* (?: (?: HYPERLINK | TOC | TOA | INDEX | BIBLIOGRAPHY | TITLE | SUBJECT | FORMTEXT ) \b
          | (?: REF \b | STYLEREF \b | _Ref\d ) (?! .* \\[nprtw]\b ) )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Fields whose results are text: of references only those to text, not to numbers."""
_NAME = re.compile(rb"<([^\s/>]+)")


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """What the children of a run have in common."""

    tag: bytes
    look: Look
    drawing: bool = False
    """Whether it is one of a drawing, where nothing but text is in runs."""

    @property
    def before(self) -> bytes:
        """What begins such a run."""
        return self.tag + self.look.raw

    @property
    def after(self) -> bytes:
        """What ends it."""
        return closing(self.tag)


@dataclass(frozen=True, eq=False, slots=True)
class Leaf:
    """Text, or a thing that stands by itself: a child of a run, or of the paragraph."""

    name: str
    start: int
    end: int
    run: Run | None = None
    text: str | None = None
    """What a reader reads; nothing if this is no text."""
    detail: str = ""
    """Of a field: which of its ends, or its instruction. Of a range: which one it is. Of a break:
    which kind."""

    def written(self, raw: Raw) -> bytes:
        """As the file has it, in a run of its own."""
        inner = raw(self.start, self.end)
        return self.run.before + inner + self.run.after if self.run else inner


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Tokens that stand together as one thing: a field, with its instruction and its result."""

    tokens: tuple[Token, ...]
    name: str = "field"

    def written(self, raw: Raw) -> bytes:
        """As the file has it."""
        return b"".join(token.written(raw) for token in self.tokens)


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """The beginning or the end of what encloses text: a link, an insertion, a content control."""

    name: str
    opens: bool
    bytes_: bytes = b""
    start: int = 0
    end: int = 0
    """Where it is in the file, if it is there in one piece."""
    group: Group | None = None
    """Instead of bytes: the tokens of a field before and after its result."""

    def written(self, raw: Raw) -> bytes:
        """As the file has it."""
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

    def of(self, node: Node) -> Iterator[Token]:
        """The tokens of a paragraph, or of anything that has runs."""
        for child in node.children:
            if child.name == "w:r":
                yield from self._run(child)
            elif content := _content(child):
                yield from self._enclosed(child, content)
            elif child.name not in _STALE and child.name != "w:pPr":
                yield Leaf(child.name, child.start, child.end, detail=_detail(child))

    def _enclosed(self, node: Node, content: tuple[int, int, Node]) -> Iterator[Token]:
        start, end, inner = content
        yield Edge(node.name, True, self.data[node.start : start], node.start, start)
        yield from self.of(inner)
        yield Edge(node.name, False, self.data[end : node.end], end, node.end)

    def _run(self, node: Node) -> Iterator[Token]:
        properties = node.child("w:rPr")
        raw = self.data[properties.start : properties.end] if properties else b""
        look = self.styles.look(raw, properties)
        run = Run(self.data[node.start : node.inner], look, self.drawing)
        for child in node.children:
            base = child.child("w:rubyBase") if child.name == "w:ruby" else None
            if base and base.close > base.inner:
                yield Edge("w:ruby", True, run.before + self.data[child.start : base.inner])
                yield from self.of(base)
                yield Edge("w:ruby", False, self.data[base.close : child.end] + run.after)
            elif child.name not in _STALE and child.name != "w:rPr":
                text = None if run.look.hidden else _text(child)
                yield Leaf(child.name, child.start, child.end, run, text, _detail(child))


def _content(node: Node) -> tuple[int, int, Node] | None:
    """Where the runs that an element encloses begin and end, and the element they are in."""
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


def _text(node: Node) -> str | None:
    if node.name == "w:t":
        spaced = node.attributes.get("xml:space") == "preserve"
        return node.text if spaced else node.text.strip(" \t\r\n")
    return HYPHEN if node.name == "w:noBreakHyphen" else None


def _detail(node: Node) -> str:
    if node.name == "w:instrText":
        return node.text
    name = {"w:fldChar": "w:fldCharType", "w:br": "w:type"}.get(node.name, "w:id")
    return node.attributes.get(name, "")


def is_link(instruction: str) -> bool:
    """Whether people read the result of a field as text: a link, a table of contents, a title."""
    return _LINK.match(instruction) is not None
