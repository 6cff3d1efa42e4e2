"""The paragraphs of one part, wherever they are in it: the body, cells, text boxes, controls."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from longways.translate.formats.docx_bilingual import pair
from longways.translate.formats.docx_fields import with_fields
from longways.translate.formats.docx_marks import Structure, structure
from longways.translate.formats.docx_render import content
from longways.translate.formats.docx_runs import Run, Token, Tokens, closing
from longways.translate.formats.docx_styles import PLAIN, Styles
from longways.translate.formats.docx_xml import Node, Scanner, Source
from longways.translate.formats.protocol import Passage


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
    twin: Paragraph | None = None
    """The same paragraph for newer programs, of which this is a copy for older ones."""


class Part:
    """A part that was read."""

    def __init__(self, source: Source, kind: str, styles: Styles) -> None:
        self.source, self.kind = source, kind
        reader = _Reader(source, styles)
        self.root = reader.root
        self.paragraphs = sorted(reader.paragraphs, key=lambda paragraph: paragraph.start)

    def written(self, new: dict[int, Passage], language: str, *, bilingual: bool) -> bytes:
        """The part with new passages, each by the number of its paragraph."""
        paragraphs = [(self.paragraphs[number], passage) for number, passage in new.items()]
        paragraphs.sort(key=lambda pair: pair[0].start)
        writer = _Writer(self, paragraphs, language, bilingual)
        return self.source.encoded(writer.raw(0, len(self.source.data)))


class _Reader:
    """Gathers the paragraphs of a part in the order in which they end."""

    def __init__(self, source: Source, styles: Styles) -> None:
        self.source, self.styles = source, styles
        self.tokens = Tokens(source.data, styles)
        self.paragraphs: list[Paragraph] = []
        self.choices: dict[int, dict[Passage, Paragraph]] = {}
        """By the identity of an element with alternatives: what is in the first of them."""
        scanner = Scanner(source, self._ended)
        scanner.scan()
        self.root = scanner.root

    def _ended(self, node: Node, open_: list[Node]) -> None:
        if node.name == "mc:AlternateContent":
            self.choices.pop(id(node), None)
        if node.name != "w:p":
            return
        paragraph = self._paragraph(node)
        node.children.clear()
        if paragraph:
            self.paragraphs.append(paragraph)
            self._find_twin(paragraph, open_)

    def _paragraph(self, node: Node) -> Paragraph | None:
        """A paragraph, if there is something in it for people to read."""
        properties = node.child("w:pPr")
        if self.styles.is_code(properties):
            return None
        tokens = with_fields(list(self.tokens.of(node)))
        found = structure(tokens, plain_run(self.source.data[node.start : node.inner]))
        if not found.readable:
            return None
        inside = tuple((c.name, c.start, c.end) for c in properties.children) if properties else ()
        body = properties.end if properties else node.inner
        place = node.start, node.inner, body, node.close, node.end
        return Paragraph(*place, inside, tokens, found.passage)

    def _find_twin(self, paragraph: Paragraph, open_: list[Node]) -> None:
        """Tell a paragraph for older programs that is the same as one for newer ones."""
        for outer, branch in pairwise(open_):
            if outer.name == "mc:AlternateContent":
                choices = self.choices.setdefault(id(outer), {})
                if branch.name == "mc:Choice":
                    choices.setdefault(paragraph.passage, paragraph)
                elif not paragraph.twin:
                    paragraph.twin = choices.get(paragraph.passage)


class _Writer:
    """Writes a part with new passages in some of its paragraphs."""

    def __init__(
        self,
        part: Part,
        paragraphs: list[tuple[Paragraph, Passage]],
        language: str,
        bilingual: bool,
    ) -> None:
        self.part, self.data = part, part.source.data
        self.paragraphs, self.language, self.bilingual = paragraphs, language, bilingual
        self.starts = [paragraph.start for paragraph, _ in paragraphs]

    def raw(self, start: int, end: int) -> bytes:
        """The bytes between two places, with what is new among them."""
        pieces, place = list[bytes](), start
        number = bisect_left(self.starts, start)
        while number < len(self.starts) and self.starts[number] < end:
            paragraph, passage = self.paragraphs[number]
            pieces += [self.data[place : paragraph.start], self._paragraph(paragraph, passage)]
            place = paragraph.end
            number = bisect_left(self.starts, place, number)
        return b"".join([*pieces, self.data[place:end]])

    def _paragraph(self, paragraph: Paragraph, passage: Passage) -> bytes:
        tag = self.data[paragraph.start : paragraph.inner]
        found: Structure = structure(paragraph.tokens, plain_run(tag))
        body = content(found, passage, self.raw, self.language)
        if not self.bilingual:
            before = self.data[paragraph.start : paragraph.body]
            return before + body + self.data[paragraph.close : paragraph.end]
        properties = [(name, self.data[s:e]) for name, s, e in paragraph.properties]
        return pair(tag, properties, body, paragraph.tokens, self.data, self.part.kind)


def plain_run(tag: bytes) -> Run:
    """A run without properties, for a paragraph that begins with this tag."""
    prefix = closing(tag)[2:-1].rpartition(b":")
    return Run(b"<%br>" % b"".join(prefix[:2]), PLAIN)
