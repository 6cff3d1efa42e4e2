"""Drop caps: in Word a separate paragraph, for a reader the start of the next paragraph.

Both are one passage. The first letter of new text becomes the drop cap, with quotation marks before
it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from longways.formats.base import Mark, Passage
from longways.formats.office.paragraph import Manner, Paragraph
from longways.formats.office.runs import Leaf, Token
from longways.formats.office.xml import XmlElement
from longways.formats.placeholders import kept_parts

_FIRST = re.compile("[^\\w\\s]*\\w[\u0300-\u036f]*|\\S|")
_MAX_LETTER_CHARACTERS = 4
"""Longest drop cap, with the quotation marks before the letter."""


@dataclass(eq=False, slots=True)
class DropCap:
    """A drop cap paragraph and the paragraph that continues its word."""

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
        """Both paragraphs with a new passage; if bilingual, with a copy without drop cap below."""
        letter, rest = _divided(passage)
        first = self.letter.written(letter, replace(manner, bilingual=False))
        first += manner.data[self.letter.end : self.rest.start]
        if not manner.bilingual:
            return first + self.rest.written(rest, manner)
        new = self.rest.content(rest, manner)
        return first + self.rest.pair(new, [*self._small(), *self.rest.tokens], manner)

    def _small(self) -> list[Token]:
        """The letter with the run of the following text."""
        texts = [t for t in self.rest.tokens if isinstance(t, Leaf) and t.text and t.run]
        letters = [t for t in self.letter.tokens if isinstance(t, Leaf) and t.text]
        return [replace(letter, run=text.run) for letter in letters for text in texts[:1]]


def is_letter(node: XmlElement, paragraph: Paragraph) -> bool:
    """Whether a paragraph is only a drop cap."""
    properties = node.child("w:pPr")
    frame = properties.child("w:framePr") if properties else None
    large = frame is not None and frame.attributes.get("w:dropCap", "none") != "none"
    return (
        large
        and len(paragraph.passage.text) <= _MAX_LETTER_CHARACTERS
        and not paragraph.passage.marks
    )


def joined(letter: Paragraph, rest: Paragraph) -> DropCap:
    """Join a drop cap and its paragraph into one passage."""
    size = len(letter.passage.text)
    text = letter.passage.text + rest.passage.text
    breaks = tuple(place + size for place in rest.passage.breaks)
    also = ((start + size, end + size) for start, end in rest.passage.keep)
    keep = kept_parts(text, also, breaks)
    return DropCap(letter, rest, Passage(text, _moved(rest.passage.marks, size), keep, breaks))


def _divided(passage: Passage) -> tuple[Passage, Passage]:
    found = _FIRST.match(passage.text)
    size = min(found.end() if found else 0, _MAX_LETTER_CHARACTERS)
    size = size if passage.text[size:].strip() else len(passage.text)
    rest = Passage(passage.text[size:], _moved(passage.marks, -size))
    return Passage(passage.text[:size]), rest


def _moved(marks: tuple[Mark, ...], by: int) -> tuple[Mark, ...]:
    """Marks shifted by an offset, clipped at 0."""
    return tuple(Mark(max(m.start + by, 0), max(m.end + by, 0), m.tag) for m in marks)
