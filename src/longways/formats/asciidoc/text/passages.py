"""Inline text of AsciiDoc as a passage: text without markup, marks, and names to keep."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from longways.formats.asciidoc.text.tokens import Token, Tokens
from longways.formats.base import Mark, Passage
from longways.formats.markdown.nodes import Markup
from longways.formats.numbered import numbered
from longways.formats.placeholders import Range, kept_parts

_QUOTED = re.compile(r'\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_POSITION = re.compile(r"[^,=]*(?=,)")
_NAMED = re.compile(r"\s*[\w-]+\s*=")
MAX_DEPTH = 10
"""Markup that is nested deeper is text."""
_NO_TAG = -1


@dataclass(frozen=True, slots=True)
class Hole:
    """A text inside of standalone markup, `text[start:end]`: of a footnote, of an image."""

    tag: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Inline:
    """A passage, what its marks stand for in the text of its block, and names in it."""

    text: str
    """The text of the block with its markup."""
    passage: Passage
    markups: Mapping[int, Markup] = field(default_factory=lambda: numbered({}))
    words: tuple[str, ...] = ()
    holes: tuple[Hole, ...] = ()

    @property
    def is_read(self) -> bool:
        """Whether there is a letter outside of its kept parts."""
        text, place = self.passage.text, 0
        for start, end in (*self.passage.keep, (len(text), len(text))):
            if any(map(str.isalpha, text[place:start])):
                return True
            place = end
        return False


_SIGN = re.compile(r"""[\\{$+*_`#^~"'<(\[:]""")
"""A sign without which text has no markup."""


def read_inline(text: str) -> Inline:
    """The inline text of a block, without whitespace at its ends."""
    if not _SIGN.search(text):
        bare = text.strip()
        return Inline(text, Passage(bare, (), kept_parts(bare)))
    return _Builder(text).built()


def shown_range(text: str, start: int, end: int) -> Range | None:
    """The shown text in the brackets of a link, before its attributes; None if there is none."""
    inside = text[start:end]
    if quoted := _QUOTED.match(inside):
        return start + quoted.start(1), start + quoted.end(1)
    if "=" in inside:
        if _NAMED.match(inside):
            return None
        end = start + match.end() if (match := _POSITION.match(inside)) else end
    return start, end - text.endswith("^", start, end)


class _Builder:
    """Collects text and marks, token by token."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens = text, Tokens(text)
        self.parts, self.length = list[str](), 0
        self.ranges = dict[int, list[int]]()
        self.markups, self.words = dict[int, Markup](), dict[str, None]()
        self.kept, self.breaks, self.holes = list[Range](), list[int](), list[Hole]()

    def built(self) -> Inline:
        """All of the text."""
        self._range(0, len(self.text), None, 0)
        text = "".join(self.parts)
        lead, size = len(text) - len(text.lstrip()), len(text.strip())

        def inside(place: int) -> int:
            return min(max(place - lead, 0), size)

        marks = tuple(Mark(inside(a), inside(b), tag) for tag, (a, b) in self.ranges.items())
        kept = [(inside(a), inside(b)) for a, b in self.kept]
        breaks = tuple(inside(place) for place in self.breaks if 0 < inside(place) < size)
        text = text.strip()
        parts = kept_parts(text, [one for one in kept if one[0] < one[1]], breaks)
        passage = Passage(text, marks, parts, breaks)
        markups = numbered(self.markups)
        return Inline(self.text, passage, markups, tuple(self.words), tuple(self.holes))

    def _append(self, text: str, *, keep: bool = False) -> None:
        if keep:
            self.kept.append((self.length, self.length + len(text)))
        self.parts.append(text)
        self.length += len(text)

    def _range(self, start: int, end: int, parent: int | None, depth: int) -> None:
        place = start
        tokens: Iterator[Token] = self.tokens.between(start, end) if depth < MAX_DEPTH else iter(())
        for token in tokens:
            self._append(self.text[place : token.start])
            place = self._add(token, parent, depth)
        self._append(self.text[place:end])

    def _add(self, token: Token, parent: int | None, depth: int) -> int:
        """Add markup; returns the place behind it."""
        if token.kind == "escaped":
            self._append(self.text[token.start + 1 : token.end])
        elif token.kind == "word":
            self._word(token)
        elif token.kind == "alone":
            return self._alone(token, parent)
        else:
            self._pair(token, parent, depth)
        return token.end

    def _word(self, token: Token) -> None:
        own = self.text[token.start : token.end].replace("\n", " ")
        self._append(own, keep=True)
        self.words[own] = None

    def _new(self, name: str, opening: Range, closing: Range | None, parent: int | None) -> int:
        tag = len(self.ranges)
        self.markups[tag] = Markup(name, opening, closing, parent)
        self.ranges[tag] = [self.length, self.length]
        return tag

    def _alone(self, token: Token, parent: int | None) -> int:
        name = "img" if token.name == "#image" else token.name
        tag = self._new(name, (token.start, token.end), None, parent)
        if token.name == "br":
            self.breaks.append(self.length)
            return token.end + self.text.startswith("\n", token.end)
        for start, end in token.holes:
            shown = shown_range(self.text, start, end) if token.name == "#image" else (start, end)
            if shown and shown[0] < shown[1]:
                self.holes.append(Hole(tag, *shown))
        return token.end

    def _pair(self, token: Token, parent: int | None, depth: int) -> None:
        first, last = token.first, token.last
        has_attributes = token.name == "a" and self.text.startswith("]", last)
        shown = shown_range(self.text, first, last) if has_attributes else (first, last)
        if shown is None or shown[0] >= shown[1]:
            self._word(token)
            return
        first, last = shown
        tag = self._new(token.name, (token.start, first), (last, token.end), parent)
        if token.kind == "code":
            self._append(self.text[first:last].replace("\n", " "), keep=True)
        else:
            self._range(first, last, tag, depth + 1)
        self.ranges[tag][1] = self.length
