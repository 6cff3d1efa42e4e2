"""Texts of cells and comments: rich text of runs, with line breaks as characters.

A translation is written as one text if it has one plain look, else as runs. Readings of Japanese
words (`rPh`) belong to characters of the original, so new text is written without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from longways.formats.base import Passage
from longways.formats.office.marks import Stretch, structure
from longways.formats.office.paragraph import Manner, Paragraph, read_paragraph
from longways.formats.office.render import MarkTree, escaped, tree
from longways.formats.office.runs import Leaf, TextRun, closing
from longways.formats.office.styles import PLAIN, Styles
from longways.formats.office.xml import STRINGS, XmlElement
from longways.formats.placeholders import kept_parts

MAX_CELL_CHARACTERS = 32_767
"""The most characters of a cell; a workbook with longer texts counts as damaged."""

_BREAK = re.compile(r"(?:_x000[dD]_|\r)?\n|_x000[dD]_|\r")
_ESCAPE = re.compile("_x[0-9A-Fa-f]{4}_")

Fragment = tuple[TextRun, str]


class CellText(Paragraph):
    """The text of a cell or a comment."""

    def written(self, passage: Passage, manner: Manner) -> bytes:
        """The element with a new text; if bilingual, with the original behind it."""
        data, fragments = manner.data, list(self._fragments(passage, manner.bilingual))
        if sum(len(text) for _, text in fragments) > MAX_CELL_CHARACTERS:
            return data[self.start : self.end]
        prefix = b"".join(closing(data[self.start : self.inner])[2:-1].rpartition(b":")[:2])
        after = b"".join(data[start:end] for name, start, end in self.properties)
        inner = _runs(fragments, prefix)
        return data[self.start : self.inner] + inner + after + data[self.close : self.end]

    def plain(self, passage: Passage, *, bilingual: bool = False) -> str:
        """The text that a cell with a passage shows."""
        return "".join(text for _, text in self._fragments(passage, bilingual))

    def _fragments(self, passage: Passage, bilingual: bool) -> Iterator[Fragment]:
        found = structure(self.tokens, _PLAIN_RUN)
        yield from _merged(_flat(tree(found, passage), found.root.base))
        if bilingual:
            yield found.root.base, "\n" if passage.breaks or self.passage.breaks else " / "
            yield from _merged(_flat(tree(found, self.passage), found.root.base))


def read_string(node: XmlElement, data: bytes, styles: Styles) -> Paragraph | None:
    """Parse the text of a cell, a comment or a drawing; None if there is no text."""
    if node.name not in STRINGS:
        return read_paragraph(node, data, styles)
    tokens = list(_tokens(node, data, styles))
    found = structure(tokens, _PLAIN_RUN)
    if not found.readable:
        return None
    escapes = (match.span() for match in _ESCAPE.finditer(found.passage.text))
    keep = kept_parts(found.passage.text, [*found.passage.keep, *escapes])
    kept = (child for child in node.children if child.name == "x:phoneticPr")
    after = tuple((child.name, child.start, child.end) for child in kept)
    place = node.start, node.inner, node.inner, node.close, node.end
    return CellText(*place, after, tokens, replace(found.passage, keep=keep))


_PLAIN_RUN = TextRun(b"", PLAIN)


def _tokens(node: XmlElement, data: bytes, styles: Styles) -> Iterator[Leaf]:
    for child in node.children:
        if child.name == "x:t":
            yield from _leaves(child, _PLAIN_RUN)
        elif child.name == "x:r":
            properties = child.child("x:rPr")
            raw = data[properties.start : properties.end] if properties else b""
            run = TextRun(data[child.start : child.inner], styles.look(raw, properties))
            for text in (inner for inner in child.children if inner.name == "x:t"):
                yield from _leaves(text, run)


def _leaves(node: XmlElement, run: TextRun) -> Iterator[Leaf]:
    """A text as lines, and the breaks between them."""
    place = 0
    for match in _BREAK.finditer(node.text):
        if match.start() > place:
            yield Leaf("x:t", node.start, node.end, run, node.text[place : match.start()])
        yield Leaf("w:br", node.start, node.end, run, bytes_=match[0].encode())
        place = match.end()
    if node.text[place:]:
        yield Leaf("x:t", node.start, node.end, run, node.text[place:])


def _flat(part: MarkTree, run: TextRun) -> Iterator[Fragment]:
    """Texts from left to right, each with its run."""
    stack = [(iter(part.items), run)]
    while stack:
        items, run = stack[-1]
        item = next(items, None)
        if item is None:
            stack.pop()
        elif isinstance(item, str):
            yield run, item
        elif isinstance(item.markup, Stretch):
            stack.append((iter(item.items), item.markup.run))
        elif isinstance(item.markup, Leaf):
            yield run, item.markup.bytes_.decode()


def _merged(fragments: Iterator[Fragment]) -> Iterator[Fragment]:
    """Texts of one look in sequence as one text, and no empty ones."""
    last, texts = _PLAIN_RUN, list[str]()
    for run, text in fragments:
        if texts and text and run.look.key != last.look.key:
            yield last, "".join(texts)
            texts = []
        if text:
            last = run
            texts.append(text)
    if texts:
        yield last, "".join(texts)


def _runs(fragments: list[Fragment], prefix: bytes) -> bytes:
    joined = list(_merged(iter(fragments)))
    if len(joined) == 1 and not joined[0][0].look.raw:
        return _text(joined[0][1], prefix)
    return b"".join(
        b"<%br>%b%b</%br>" % (prefix, run.look.raw, _text(text, prefix), prefix)
        for run, text in joined
    )


def _text(text: str, prefix: bytes) -> bytes:
    spaced = text != text.strip() or "\n" in text
    space = b' xml:space="preserve"' if spaced else b""
    return b"<%bt%b>%b</%bt>" % (prefix, space, escaped(text), prefix)
