"""Paragraphs of a part: reading, and writing with new text.

Paragraphs of drawings (chart titles, diagrams) have elements of another namespace. They are renamed
to the elements of text paragraphs, so that both are read and written alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longways.formats.base import Passage
from longways.formats.office.bilingual import pair
from longways.formats.office.fields import with_fields
from longways.formats.office.marks import structure
from longways.formats.office.render import content
from longways.formats.office.runs import Raw, TextRun, Token, Tokens, closing
from longways.formats.office.styles import PLAIN, Styles
from longways.formats.office.xml import XmlElement

_UNSEEN = ("lang", "altLang", "dirty", "err", "noProof", "smtClean", "smtId", "kern", "spc")
"""Attributes of a run that do not change its look."""

SLIDES = frozenset(["slide", "notesSlide"])
"""Parts whose paragraphs are animated one by one: a bilingual part has no more than before."""


@dataclass(frozen=True)
class Manner:
    """How new passages are written in a part of some kind, such as comments."""

    data: bytes
    raw: Raw
    language: str
    bilingual: bool
    kind: str


@dataclass(eq=False, slots=True)
class Paragraph:
    """A paragraph: `data[start:inner]` is its tag, `data[body:close]` its content."""

    start: int
    inner: int
    body: int
    close: int
    end: int
    properties: tuple[tuple[str, int, int], ...]
    """Name and range of each of its properties."""
    tokens: Sequence[Token]
    passage: Passage
    drawing: bool = False
    twin: object = None
    """The original of this paragraph, if it is a fallback copy for older programs."""

    def written(self, passage: Passage, manner: Manner) -> bytes:
        """The paragraph with a new passage; in a bilingual part, with the original below."""
        new = self.content(passage, manner)
        data = manner.data
        if manner.bilingual and not self.drawing:
            return self.pair(new, self.tokens, manner)
        if manner.bilingual and manner.kind in SLIDES:
            new += _line_break(data[self.start : self.inner]) + data[self.body : self.close]
            return data[self.start : self.body] + new + data[self.close : self.end]
        written = data[self.start : self.body] + new + data[self.close : self.end]
        return written + (data[self.start : self.end] if manner.bilingual else b"")

    def content(self, passage: Passage, manner: Manner) -> bytes:
        """The content of the paragraph for a passage."""
        tag = manner.data[self.start : self.inner]
        found = structure(self.tokens, plain_run(tag, drawing=self.drawing))
        return content(found, passage, manner.raw, manner.language)

    def pair(self, new: bytes, old: Sequence[Token], manner: Manner) -> bytes:
        """The paragraph with new content, and a copy of the original below."""
        data = manner.data
        properties = [(name, data[start:end]) for name, start, end in self.properties]
        return pair(data[self.start : self.inner], properties, new, old, data, manner.kind)


def _line_break(tag: bytes) -> bytes:
    """The line break between a translation and its original, below the tag of a paragraph."""
    return b"<%bbr/>" % b"".join(closing(tag)[2:-1].rpartition(b":")[:2])


def read_paragraph(node: XmlElement, data: bytes, styles: Styles) -> Paragraph | None:
    """Parse a paragraph; None if it has no readable text."""
    drawing = node.name == "a:p"
    node = as_word(node) if drawing else node
    properties = node.child("w:pPr")
    if styles.is_code(properties):
        return None
    tokens = with_fields(list(Tokens(data, styles, drawing=drawing).of(node)))
    found = structure(tokens, plain_run(data[node.start : node.inner], drawing=drawing))
    if not found.readable:
        return None
    inside = tuple((c.name, c.start, c.end) for c in properties.children) if properties else ()
    body = properties.end if properties else node.inner
    place = node.start, node.inner, body, node.close, node.end
    return Paragraph(*place, inside, tokens, found.passage, drawing)


def plain_run(tag: bytes, *, drawing: bool = False) -> TextRun:
    """A run without properties, for a paragraph that begins with this tag."""
    prefix = closing(tag)[2:-1].rpartition(b":")
    return TextRun(b"<%br>" % b"".join(prefix[:2]), PLAIN, drawing)


def as_word(node: XmlElement) -> XmlElement:
    """A drawing paragraph under the names of a text paragraph, without its last properties."""
    last = node.child("a:endParaRPr")
    children = [child for child in node.children if child is not last]
    close = last.start if last else node.close
    return XmlElement(
        "w:p", {}, node.start, node.inner, close, node.end, list(map(_renamed, children))
    )


def _renamed(node: XmlElement) -> XmlElement:
    """An element under the name of its text counterpart."""
    name = f"w:{node.name.removeprefix('a:')}"
    attributes = {key: value for key, value in node.attributes.items() if key not in _UNSEEN}
    if name == "w:t":
        attributes["xml:space"] = "preserve"
    place = node.start, node.inner, node.close, node.end
    return XmlElement(name, attributes, *place, list(map(_renamed, node.children)), node.text)
