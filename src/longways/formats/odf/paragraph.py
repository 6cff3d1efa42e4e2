"""Paragraphs of OpenDocument: text and spans as tokens, and new text with its spans.

Links and ruby enclose text; fields, notes, frames and bookmarks are standalone items. Spans within
spans are one run with several tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from longways.formats.base import Passage
from longways.formats.odf.looks import SpanLooks
from longways.formats.office.marks import structure
from longways.formats.office.paragraph import Manner, Paragraph
from longways.formats.office.render import content, escaped
from longways.formats.office.runs import BREAKS, Edge, Leaf, TextRun, Token, closing
from longways.formats.office.styles import PLAIN, Styles
from longways.formats.office.xml import TEXT, XmlElement

MAX_SPACES = 1000
"""The most spaces of one element that are text."""

_WHITE = re.compile("[ \t\r\n]+")
_SPACES = re.compile("^ +|(?<= ) +")
_BREAKS = {"text:tab": "w:tab", "text:line-break": "w:br"}
_LINKS = frozenset(["text:a", "text:meta"])
_STALE = frozenset(["text:soft-page-break"])


class OdfParagraph(Paragraph):
    """A paragraph, heading, or paragraph of a cell."""

    def written(self, passage: Passage, manner: Manner) -> bytes:
        """The paragraph with a new text; if bilingual, with the original after a line break."""
        data, plain = manner.data, _plain(_prefix(manner.data[self.start : self.inner]))
        found = structure(self.tokens, plain)
        new = content(found, passage, manner.raw, manner.language)
        if manner.bilingual:
            new += b"<%bline-break/>" % _prefix(data[self.start : self.inner])
            new += b"".join(_copied(self.tokens, data))
        return data[self.start : self.inner] + new + data[self.close : self.end]


class Paragraphs:
    """Reads the paragraphs of one part."""

    def __init__(self, data: bytes, *, reads_code: bool = False) -> None:
        """With `reads_code`, paragraphs in styles for code are read, too."""
        self.looks, self.reads_code = SpanLooks(data), reads_code
        self.found_code = False
        """Whether a paragraph was left because of its style."""

    def read(self, node: XmlElement, data: bytes, _: Styles) -> Paragraph | None:
        """Parse a paragraph; None if it has no readable text."""
        is_code = not self.reads_code and self.looks.is_code(_style(node))
        self.found_code = self.found_code or is_code
        if node.close == node.inner or is_code:
            return None
        prefix = _prefix(data[node.start : node.inner])
        plain = _plain(prefix)
        tokens = list(_Tokens(data, self.looks, prefix).of(node, plain))
        found = structure(tokens, plain)
        if not found.readable:
            return None
        place = node.start, node.inner, node.inner, node.close, node.end
        return OdfParagraph(*place, (), tokens, found.passage)


class _Tokens:
    """Reads the tokens of one paragraph, where spaces in sequence are one space."""

    def __init__(self, data: bytes, looks: SpanLooks, prefix: bytes) -> None:
        self.data, self.looks, self.prefix = data, looks, prefix
        self.spaced = True
        """Whether a space before the next character would not be shown."""

    def of(self, node: XmlElement, run: TextRun) -> Iterator[Token]:
        """The tokens of an element within spans."""
        for child in node.children:
            if child.name == TEXT:
                yield from self._text(child, run)
            elif child.name == "text:span":
                if child.close > child.inner:
                    yield from self.of(child, self._span(child, run))
            elif child.name in _LINKS and child.close > child.inner:
                yield from self._enclosed(child, child, run)
            elif child.name == "text:ruby" and (base := child.child("text:ruby-base")):
                yield from self._enclosed(child, base, run)
            elif child.name not in _STALE:
                yield self._leaf(child, run)

    def _text(self, node: XmlElement, run: TextRun) -> Iterator[Leaf]:
        text = _WHITE.sub(" ", node.text)
        text = text[1:] if self.spaced and text.startswith(" ") else text
        if text:
            self.spaced = text.endswith(" ")
            yield Leaf(TEXT, 0, 0, run, text)

    def _span(self, node: XmlElement, run: TextRun) -> TextRun:
        tag = self.data[node.start : node.inner]
        look = self.looks.look(_style(node), run.look)
        return TextRun(run.tag + tag, look, ends=closing(tag) + run.after, writer=run.writer)

    def _enclosed(self, node: XmlElement, inner: XmlElement, run: TextRun) -> Iterator[Token]:
        """The text of a link or the base of ruby; spans outside are opened with it."""
        before, after = self.data[node.start : inner.inner], self.data[inner.close : node.end]
        yield Edge(node.name, True, run.tag + before)
        yield from self.of(inner, _plain(self.prefix))
        yield Edge(node.name, False, after + run.after)

    def _leaf(self, node: XmlElement, run: TextRun) -> Leaf:
        self.spaced = False
        count = node.attributes.get("text:c", "1") if node.name == "text:s" else ""
        if count.isdecimal() and len(count) < 5 and int(count) <= MAX_SPACES:
            return Leaf(node.name, node.start, node.end, run, " " * int(count))
        name = _BREAKS.get(node.name, node.name)
        name = name.replace("-start", "Start").replace("-end", "End")
        if name == "office:annotation" and "office:name" in node.attributes:
            name = "office:annotationStart"
        names = ("text:name", "office:name", "text:id", "text:change-id")
        detail = next((node.attributes[key] for key in names if key in node.attributes), "")
        return Leaf(name, node.start, node.end, run, detail=detail)


def _copied(tokens: Sequence[Token], data: bytes) -> Iterator[bytes]:
    """The readable content of a paragraph, without fields, notes and frames."""
    for token in tokens:
        if isinstance(token, Edge):
            yield token.bytes_
        elif isinstance(token, Leaf) and token.run and token.text is not None:
            writer = token.run.writer
            yield token.run.before + (writer(token.text) if writer else b"") + token.run.after
        elif isinstance(token, Leaf) and token.name in BREAKS:
            yield token.written(lambda start, end: data[start:end])


def _plain(prefix: bytes) -> TextRun:
    """A run outside all spans."""
    return TextRun(b"", PLAIN, ends=b"", writer=partial(written_text, prefix))


def written_text(prefix: bytes, text: str) -> bytes:
    """Text as XML: a space that would be lost at the start or after another one is an element."""
    parts, place = list[bytes](), 0
    for match in _SPACES.finditer(text):
        size = match.end() - match.start()
        count = b' %bc="%d"' % (prefix, size) if size > 1 else b""
        parts += [escaped(text[place : match.start()]), b"<%bs%b/>" % (prefix, count)]
        place = match.end()
    return b"".join([*parts, escaped(text[place:])])


def _prefix(tag: bytes) -> bytes:
    return b"".join(closing(tag)[2:-1].rpartition(b":")[:2])


def _style(node: XmlElement) -> str:
    return node.attributes.get("text:style-name", "")
