"""Passage of a paragraph from its tokens: text, marks, and their markup.

Text with the most frequent look of its level needs no mark. Any other look is a mark, as is a link,
an insertion or a content control. The same looks are found again in a file written by `render`: a
look that returns before the most frequent one encloses the text between, and empty text at the
start of a level sets its most frequent look.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longways.formats.base import Mark, Passage
from longways.formats.office.runs import BREAKS, Edge, Group, Leaf, TextRun, Thing, Token
from longways.formats.office.styles import PLAIN, Key, Look
from longways.formats.placeholders import kept_parts

MAX_LOOKS = 100
"""Maximum nesting of looks within a level."""


@dataclass(eq=False)
class Stretch:
    """Text whose look differs from the base of its level."""

    run: TextRun
    last: int
    """Index of its last item in the level."""


@dataclass(eq=False)
class Level:
    """Content of an enclosing element; the outermost level is the paragraph."""

    edges: tuple[Edge, Edge] | None
    within: Level | None
    items: list[Thing | Level] = field(default_factory=list)
    base: TextRun = field(default_factory=lambda: TextRun(b"", PLAIN))
    """Run of the most frequent text, which needs no mark."""

    def encloses(self, level: Level | None) -> bool:
        """Whether a level is this one or within it."""
        while level is not None and level is not self:
            level = level.within
        return level is self


Markup = Stretch | Level | Thing


@dataclass(frozen=True)
class Structure:
    """A passage, with the markup and the level of each mark by its tag."""

    passage: Passage
    root: Level
    markups: Sequence[Markup]
    homes: Sequence[Level]
    readable: bool
    """Whether it has readable text that is not code."""


def structure(tokens: Sequence[Token], plain: TextRun) -> Structure:
    """The structure of a paragraph; `plain` is a run without properties."""
    return _ParagraphReader(tokens, plain).read()


def usual(texts: Iterable[tuple[Look, int]]) -> Key:
    """The look of most characters, from the look and length of each text of a level.

    The look of code is never chosen, so that other text does not become code.
    """
    lengths = dict[Key, int]()
    for look, length in texts:
        if not lengths and not length and not look.code:
            return look.key
        lengths[look.key] = lengths.get(look.key, 0) + (-1 if look.code else length)
    lengths = {key: length for key, length in lengths.items() if length >= 0}
    return max(lengths, key=lengths.__getitem__, default=PLAIN.key)


def joins(before: str, after: str) -> bool:
    """Whether a break between two characters reads as a space: not where Chinese has none."""
    return not any(c.isspace() or unicodedata.east_asian_width(c) in "WF" for c in before + after)


class _ParagraphReader:
    """Collects text and marks of a paragraph from left to right."""

    def __init__(self, tokens: Sequence[Token], plain: TextRun) -> None:
        self.plain = plain
        self.root = _levels(tokens)
        self.following = _following(tokens)
        self.parts, self.length, self.last = list[str](), 0, ""
        self.marks: list[Mark] = []
        self.markups, self.homes = list[Markup](), list[Level]()
        self.code: list[tuple[int, int]] = []
        self.breaks: list[int] = []
        self.prose = False

    def read(self) -> Structure:
        self._level(self.root)
        text = "".join(self.parts)
        breaks = tuple(place for place in self.breaks if 0 < place < len(text))
        marks = [(mark.start, mark.end) for mark in self.marks]
        kept = kept_parts(text, self.code, breaks, marks)
        passage = Passage(text, tuple(self.marks), kept, breaks)
        readable = self.prose and bool(text.strip())
        return Structure(passage, self.root, self.markups, self.homes, readable)

    def _level(self, level: Level) -> None:
        texts = [item for item in level.items if isinstance(item, Leaf) and item.text is not None]
        key = usual((item.run.look, len(item.text or "")) for item in texts if item.run)
        runs = (item.run for item in texts if item.run and item.run.look.key == key)
        level.base = next(runs, self.plain)
        starts, open_ = _stretches(level), list[tuple[int, int]]()
        for place, item in enumerate(level.items):
            if stretch := starts.get(place):
                open_.append((self._open(stretch, level), stretch.last))
            self._item(item, level)
            while open_ and open_[-1][1] == place:
                self._close(open_.pop()[0])

    def _item(self, item: Thing | Level, level: Level) -> None:
        if isinstance(item, Leaf) and item.text is not None:
            self._text(item, item.text)
            return
        tag = self._open(item, level)
        if isinstance(item, Level):
            self._level(item)
            self._close(tag)
            return
        self.breaks += [self.length] if is_break(item) else []
        after = self.following.get(id(item))
        if after and self.last and joins(self.last, after):
            self._add(" ")

    def _text(self, leaf: Leaf, text: str) -> None:
        if leaf.run and leaf.run.look.code:
            self.code.append((self.length, self.length + len(text)))
        self.prose = self.prose or is_prose(leaf.run, text)
        self._add(text)

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)
        self.last = text[-1:] or self.last

    def _open(self, markup: Markup, level: Level) -> int:
        tag = len(self.marks)
        self.marks.append(Mark(self.length, self.length, tag))
        self.markups.append(markup)
        self.homes.append(level)
        return tag

    def _close(self, tag: int) -> None:
        self.marks[tag] = Mark(self.marks[tag].start, self.length, tag)


def _levels(tokens: Sequence[Token]) -> Level:
    """The tokens as a tree of levels."""
    level = root = Level(None, None)
    for token in tokens:
        if not isinstance(token, Edge):
            level.items.append(token)
        elif token.opens:
            inner = Level((token, token), level)
            level.items.append(inner)
            level = inner
        elif level.edges and level.within:
            level.edges = level.edges[0], token
            level = level.within
    return root


def _stretches(level: Level) -> dict[int, Stretch]:
    """Stretches of a level by their first item."""
    found, stack, depths = dict[int, Stretch](), list[Stretch](), dict[Key, int]()
    for place, item in enumerate(level.items):
        if not isinstance(item, Leaf) or item.text is None or item.run is None:
            continue
        key = item.run.look.key
        usual_here = key == level.base.look.key
        depth = -1 if usual_here else depths.get(key, len(stack))
        while len(stack) > depth + 1:
            del depths[stack.pop().run.look.key]
        if depth == len(stack):
            if depth == MAX_LOOKS:
                stack, depths, depth = [], {}, 0
            stack.append(Stretch(item.run, place))
            depths[key] = depth
            found[place] = stack[-1]
        elif not usual_here:
            stack[depth].last = place
    return found


def _following(tokens: Sequence[Token]) -> dict[int, str]:
    """The first character of the text after each break, by the identity of the break."""
    after, following = "", dict[int, str]()
    for token in reversed(tokens):
        if isinstance(token, Leaf) and token.text:
            after = token.text[0]
        elif isinstance(token, Leaf) and token.text is None and is_break(token):
            following[id(token)] = after
    return following


def is_prose(run: TextRun | None, text: str) -> bool:
    """Whether a text makes its paragraph readable: it is neither code nor blank.

    Empty text counts: it marks a translation that is all in code.
    """
    return not (run and run.look.code) and (bool(text.strip()) or not text)


def is_break(markup: Markup) -> bool:
    """Whether the markup separates words like a space."""
    return isinstance(markup, Leaf) and markup.name in BREAKS


def ordered_with(markup: Markup) -> str:
    """A key shared by markups that must keep their order, or an empty string.

    The ends of a bookmark or comment keep their order, as do parts of incomplete fields.
    """
    if isinstance(markup, Stretch | Level):
        return ""
    if markup.name in ("w:fldChar", "w:instrText"):
        return "w:fldChar"
    if isinstance(markup, Group) or not markup.name.endswith(("Start", "End")):
        return ""
    return f"{markup.name.removesuffix('Start').removesuffix('End')} {markup.detail}"
