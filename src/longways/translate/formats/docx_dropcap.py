"""A large first letter: for Word it is a paragraph by itself, for a reader the start of the next.

Both are one passage. Of a new text the first letter is the large one, with any quotation mark that
is before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from longways.translate.formats.docx_paragraph import Manner, Paragraph
from longways.translate.formats.docx_runs import Leaf, Token
from longways.translate.formats.docx_xml import Node
from longways.translate.formats.keep import kept_parts
from longways.translate.formats.protocol import Mark, Passage

_FIRST = re.compile("[^\\w\\s]*\\w[\u0300-\u036f]*|\\S|")
_LONGEST = 4
"""Characters of a letter with the quotation marks before it."""


@dataclass(eq=False, slots=True)
class DropCap:
    """A paragraph of a large letter, and the paragraph that goes on with its word."""

    letter: Paragraph
    rest: Paragraph
    passage: Passage
    twin: object = None

    @property
    def start(self) -> int:
        """Where the letter's paragraph begins."""
        return self.letter.start

    @property
    def end(self) -> int:
        """Where the other paragraph ends."""
        return self.rest.end

    def written(self, passage: Passage, manner: Manner) -> bytes:
        """Both paragraphs with a new passage, and below them a copy with a letter like others."""
        letter, rest = _divided(passage)
        first = self.letter.written(letter, replace(manner, bilingual=False))
        first += manner.data[self.letter.end : self.rest.start]
        if not manner.bilingual:
            return first + self.rest.written(rest, manner)
        new = self.rest.content(rest, manner)
        return first + self.rest.pair(new, [*self._small(), *self.rest.tokens], manner)

    def _small(self) -> list[Token]:
        """The letter in a run like those of the rest."""
        texts = [t for t in self.rest.tokens if isinstance(t, Leaf) and t.text and t.run]
        letters = [t for t in self.letter.tokens if isinstance(t, Leaf) and t.text]
        return [replace(letter, run=text.run) for letter in letters for text in texts[:1]]


def is_letter(node: Node, paragraph: Paragraph) -> bool:
    """Whether a paragraph is nothing but a large letter."""
    properties = node.child("w:pPr")
    frame = properties.child("w:framePr") if properties else None
    large = frame is not None and frame.attributes.get("w:dropCap", "none") != "none"
    return large and len(paragraph.passage.text) <= _LONGEST and not paragraph.passage.marks


def joined(letter: Paragraph, rest: Paragraph) -> DropCap:
    """Both paragraphs as one."""
    size = len(letter.passage.text)
    text = letter.passage.text + rest.passage.text
    keep = kept_parts(text, ((start + size, end + size) for start, end in rest.passage.keep))
    return DropCap(letter, rest, Passage(text, _moved(rest.passage.marks, size), keep))


def _divided(passage: Passage) -> tuple[Passage, Passage]:
    found = _FIRST.match(passage.text)
    size = min(found.end() if found else 0, _LONGEST)
    size = size if passage.text[size:].strip() else len(passage.text)
    rest = Passage(passage.text[size:], _moved(passage.marks, -size))
    return Passage(passage.text[:size]), rest


def _moved(marks: tuple[Mark, ...], by: int) -> tuple[Mark, ...]:
    """Marks of a text that begins later or earlier; none begins before it."""
    return tuple(Mark(max(m.start + by, 0), max(m.end + by, 0), m.tag) for m in marks)
