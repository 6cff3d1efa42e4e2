"""A paragraph with text, as it is in a part and with another text in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longways.translate.formats.docx_bilingual import pair
from longways.translate.formats.docx_drawing import as_word
from longways.translate.formats.docx_fields import with_fields
from longways.translate.formats.docx_marks import structure
from longways.translate.formats.docx_render import content
from longways.translate.formats.docx_runs import Raw, Run, Token, Tokens, closing
from longways.translate.formats.docx_styles import PLAIN, Styles
from longways.translate.formats.docx_xml import Node
from longways.translate.formats.protocol import Passage


@dataclass(frozen=True)
class Manner:
    """How new passages are written in a part: it is of a kind, as comments are."""

    data: bytes
    raw: Raw
    language: str
    bilingual: bool
    kind: str


@dataclass(eq=False, slots=True)
class Paragraph:
    """A paragraph with text: `data[start:inner]` is its tag, `data[body:close]` what it says."""

    start: int
    inner: int
    body: int
    close: int
    end: int
    properties: tuple[tuple[str, int, int], ...]
    """Name and place of each of its properties."""
    tokens: Sequence[Token]
    passage: Passage
    drawing: bool = False
    twin: object = None
    """The same paragraph for newer programs, of which this is a copy for older ones."""

    def written(self, passage: Passage, manner: Manner) -> bytes:
        """The paragraph with a new passage, and the copy below it that a bilingual part has."""
        new = self.content(passage, manner)
        data = manner.data
        if manner.bilingual and not self.drawing:
            return self.pair(new, self.tokens, manner)
        written = data[self.start : self.body] + new + data[self.close : self.end]
        return written + (data[self.start : self.end] if manner.bilingual else b"")

    def content(self, passage: Passage, manner: Manner) -> bytes:
        """What the paragraph has below its properties for a passage."""
        tag = manner.data[self.start : self.inner]
        found = structure(self.tokens, plain_run(tag, drawing=self.drawing))
        return content(found, passage, manner.raw, manner.language)

    def pair(self, new: bytes, old: Sequence[Token], manner: Manner) -> bytes:
        """The paragraph with new content, and below it the copy of what it was."""
        data = manner.data
        properties = [(name, data[start:end]) for name, start, end in self.properties]
        return pair(data[self.start : self.inner], properties, new, old, data, manner.kind)


def read_paragraph(node: Node, data: bytes, styles: Styles) -> Paragraph | None:
    """A paragraph, if there is something in it for people to read."""
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


def plain_run(tag: bytes, *, drawing: bool = False) -> Run:
    """A run without properties, for a paragraph that begins with this tag."""
    prefix = closing(tag)[2:-1].rpartition(b":")
    return Run(b"<%br>" % b"".join(prefix[:2]), PLAIN, drawing)
