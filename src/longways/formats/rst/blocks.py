r"""Texts of a reStructuredText file: their places, and how new text is written there.

A slot is one passage: a paragraph, a title, a term, the argument of a directive. Text that would
begin another block is escaped: `\- no item`. New text is on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from longways.formats.base import Mark, Passage
from longways.formats.placeholders import kept_parts
from longways.formats.rst.lines import on_one_line, width
from longways.formats.rst.text.passages import Inline, Markup
from longways.formats.rst.text.writer import InlineWriter

Edit = tuple[int, int, str]
"""Start and end offset of some characters, and their replacement."""

SlotKind = Literal["paragraph", "literal", "title", "term", "name", "argument", "plain", "entry"]
"""`literal` is a paragraph before a literal block, `name` that of a field, `entry` one of a table
of contents; `plain` is the value of an option, which has no markup."""

MIN_ADORNMENT = 4
"""The length from which docutils reads a line of signs as an adornment, whatever is beside it."""

_STARTS = re.compile(
    r"""(?: [-+*\u2022\u2023\u2043] (?=\s|\Z)
      | \(? (?: \# | [0-9]+ | [A-Za-z] | [ivxlcdmIVXLCDM]+ ) [.)] (?=\s|\Z)
      | \.\. (?=\s|\Z) | __ (?=\s|\Z) | \| (?=\s|\Z) | >>> (?=\s|\Z)
      | : (?![:\s]) (?: [^:\\] | \\. | : (?![\s`]|\Z) )* : (?=\s|\Z)
      | \+-[-+]+-\+ \Z | =+ (?:[ ]+ =+)+ [ ]* \Z
      | (?: --? | \+ | / ) \w [^\s]* (?: [ =] [^\s]+ )? (?: , [ ] [^\s]+ (?: [ =][^\s]+ )? )*
        (?: [ ]{2} | [ ]? \Z )
      | (?P<line> [!-/:-@\[-`{-~] ) (?P=line)* \Z
      )""",
    re.VERBOSE,
)
"""The beginning of a text that would be read as another block."""
_COLONS = ":\uff1a"
_DASHES = re.compile(r"---?(?!-)|\u2014")
_CLASSIFIER = re.compile(r"[ ]:(?=[ ])")
_NOT_TWICE = re.compile(r"\[[#*]|_`|`__\Z|__\Z")
"""Markup that counts: numbered notes and references without a name, and targets."""


@dataclass
class Writing:
    """What a file is written with."""

    inline: InlineWriter
    bilingual: bool
    targets: frozenset[str] = frozenset()
    """Names of titles that references of the file use."""


class Place(NamedTuple):
    """The block that contains others: how deep it is, and whether it is more than the file."""

    depth: int
    in_list: bool


class Block(Protocol):
    """A part of a file with passages."""

    def passages(self) -> Iterator[Passage]:
        """The passages in reading order."""

    def edits(self, new: Iterator[Passage], writing: Writing) -> Iterator[Edit]:
        """The changes of the text for new passages, in order."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One passage and its place, `text[start:end]`."""

    start: int
    end: int
    kind: SlotKind
    inline: Inline
    source: str
    """The own text on one line."""
    indent: str = ""
    """What begins the lines of its block."""
    adornments: tuple[tuple[int, int], ...] = ()
    """The lines of signs above and below a title."""
    signs: str = ""
    """The longest of these lines, and after it whether the title is inset."""
    in_list: bool = True
    """Whether it is inside of other blocks."""
    is_broken: bool = False
    """Whether it must stay on two lines, since an indented line follows."""

    def passages(self) -> Iterator[Passage]:
        """Its passage."""
        yield self.inline.passage

    def edits(self, new: Iterator[Passage], writing: Writing) -> Iterator[Edit]:
        """The change for a new passage; a blank one changes nothing."""
        passage = next(new)
        if passage == self.inline.passage or not passage.text.strip():
            return
        written = self._written(passage, writing)
        if self.kind == "title":
            yield from self._title(written, writing)
        else:
            yield self.start, self.end, written

    def _written(self, passage: Passage, writing: Writing) -> str:
        if self.kind == "plain":
            text = on_one_line(passage.text).strip()
            return f"{text} / {self.source}" if writing.bilingual else text
        text = writing.inline.write(self.inline, passage).strip()
        below = writing.bilingual and self.kind == "paragraph" and not self.in_list
        if writing.bilingual and not below:
            first = text.rstrip(_COLONS) if self.kind == "literal" else text
            text = f"{first} / {self._again(writing)}"
        text = finished(text, self.kind)
        if self.is_broken:
            text = re.sub(" +", f"\n{self.indent}", text, count=1)
        return (
            f"{text}\n\n{self.indent}   {finished(self._again(writing), 'paragraph')}"
            if below
            else text
        )

    def _again(self, writing: Writing) -> str:
        """The own text beside the new one, without markup that must not be there twice."""
        own = self.inline
        if any(_NOT_TWICE.search(m.source) for m in own.markups.values()) or any(
            word.startswith("_`") for word in own.words
        ):
            left = {t: m for t, m in own.markups.items() if not _NOT_TWICE.search(m.source)}
            marks = [mark for mark in own.passage.marks if mark.tag in left]
            return writing.inline.write(*_renumbered(own, marks))
        return self.source

    def _title(self, written: str, writing: Writing) -> Iterator[Edit]:
        """The title, its adornments, and a target for the references to its old name."""
        name = on_one_line(self.inline.passage.text).lower()
        first = self.adornments[0][0] if len(self.adornments) > 1 else self.start
        if name in writing.targets and name != on_one_line(written).lower():
            target = self.inline.passage.text.replace("\\", r"\\").replace("`", r"\`")
            yield first, first, f".. _`{on_one_line(target)}`:\n\n{self.indent}"
        signs = self._adornment(written)
        edits = [(start, end, signs) for start, end in self.adornments]
        yield from sorted([*edits, (self.start, self.end, written)])

    def _adornment(self, written: str) -> str:
        """The signs for a title; a line that was wider than its title stays as wide."""
        signs = self.signs.rstrip()
        inset = len(self.signs) - len(signs)
        own, new = width(self.source) + inset, width(written) + inset
        least = len(signs) if len(signs) > own else MIN_ADORNMENT
        return signs[0] * max(new, least)


def _renumbered(own: Inline, marks: list[Mark]) -> tuple[Inline, Passage]:
    """The own text with only some of its marks."""
    kept = tuple(Mark(mark.start, mark.end, tag) for tag, mark in enumerate(marks))
    markups: Mapping[int, Markup] = {t: own.markups[m.tag] for t, m in enumerate(marks)}
    words = tuple(word for word in own.words if not word.startswith("_`"))
    passage = Passage(own.passage.text, kept)
    return Inline(passage, markups, words), passage


def finished(text: str, kind: SlotKind) -> str:
    """The text of a block that begins no other block, and ends as its kind must."""
    if kind in ("argument", "plain", "entry"):
        return text
    if kind == "name":
        return re.sub(r"(?<!\\):(?=\s|\Z)", r"\:", text)
    if kind == "term":
        text = _CLASSIFIER.sub(r" \:", text)
    if kind == "literal":
        text = text.rstrip(_COLONS).rstrip() + ":"
    elif text.endswith("::") and kind != "title":
        text = text[:-1] + "\\:"
    starts = _STARTS.match(text)
    return f"\\{text}" if starts or (kind == "paragraph" and _DASHES.match(text)) else text


def plain_inline(text: str) -> Inline:
    """Text without markup, as the value of an option."""
    said = text.strip()
    return Inline(Passage(said, (), kept_parts(said)), {}, ())
