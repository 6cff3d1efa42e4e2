"""The tokens of a paragraph as a passage: its text, and the markup that its marks stand for.

Text that looks like most of the text beside it needs no mark. Any other look is a mark around the
text that has it; so is a link, an insertion, a content control. Looks are found again when a file
is read that was written here, wherever its marks were moved to (`docx_render`): a look that returns
before the usual one does encloses what is between, and a level that begins with empty text says
with its look which one is the usual.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longways.translate.formats.docx_runs import BREAKS, Edge, Group, Leaf, Run, Thing, Token
from longways.translate.formats.docx_styles import PLAIN, Key, Look
from longways.translate.formats.keep import kept_parts
from longways.translate.formats.protocol import Mark, Passage

MOST_LOOKS = 100
"""Looks in a row without the usual one, of which the first may return after the last."""


@dataclass(eq=False)
class Stretch:
    """Text that looks otherwise than the usual text of its level."""

    run: Run
    last: int
    """The item of its level with which it ends."""


@dataclass(eq=False)
class Level:
    """What something encloses; the outermost is the paragraph itself."""

    edges: tuple[Edge, Edge] | None
    within: Level | None
    items: list[Thing | Level] = field(default_factory=list)
    base: Run = field(default_factory=lambda: Run(b"", PLAIN))
    """That of the usual text, which needs no mark."""

    def encloses(self, level: Level | None) -> bool:
        """Whether a level is this one or within it."""
        while level is not None and level is not self:
            level = level.within
        return level is self


Markup = Stretch | Level | Thing


@dataclass(frozen=True)
class Structure:
    """A passage, and by its tag what each mark stands for, with the level that this is in."""

    passage: Passage
    root: Level
    markups: Sequence[Markup]
    homes: Sequence[Level]
    readable: bool
    """Whether there is any text in it to be read that is not code."""


def structure(tokens: Sequence[Token], plain: Run) -> Structure:
    """What a paragraph is for a reader; `plain` begins a run without properties."""
    return _Reader(tokens, plain).read()


def usual(pieces: Iterable[tuple[Look, int]]) -> Key:
    """The look of most characters, from the look and length of each text of a level.

    Never that of code, which must not be that of other text by chance.
    """
    lengths = dict[Key, int]()
    for look, length in pieces:
        if not lengths and not length and not look.code:
            return look.key
        lengths[look.key] = lengths.get(look.key, 0) + (-1 if look.code else length)
    lengths = {key: length for key, length in lengths.items() if length >= 0}
    return max(lengths, key=lengths.__getitem__, default=PLAIN.key)


def joins(before: str, after: str) -> bool:
    """Whether a break between two characters reads as a space: not where Chinese has none."""
    return not any(c.isspace() or unicodedata.east_asian_width(c) in "WF" for c in before + after)


class _Reader:
    """Puts the text of a paragraph together, once from left to right."""

    def __init__(self, tokens: Sequence[Token], plain: Run) -> None:
        self.plain = plain
        self.root = _levels(tokens)
        self.following = _following(tokens)
        self.parts, self.length, self.last = list[str](), 0, ""
        self.marks: list[Mark] = []
        self.markups, self.homes = list[Markup](), list[Level]()
        self.code: list[tuple[int, int]] = []
        self.prose = False

    def read(self) -> Structure:
        self._level(self.root)
        text = "".join(self.parts)
        passage = Passage(text, tuple(self.marks), kept_parts(text, self.code))
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
    """The tokens within what encloses them."""
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
    """By the item they begin with: texts that do not look as is usual."""
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
            if depth == MOST_LOOKS:
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


def is_prose(run: Run | None, text: str) -> bool:
    """Whether a text makes its paragraph one to be read: it is neither code nor blank.

    Empty text counts, for it says so of a translation that has everything in code.
    """
    return not (run and run.look.code) and (bool(text.strip()) or not text)


def is_break(markup: Markup) -> bool:
    """Whether this separates words as a space does."""
    return isinstance(markup, Leaf) and markup.name in BREAKS


def ordered_with(markup: Markup) -> str:
    """A name that markups have in common which must not change their order.

    Those are the ends of a range, a bookmark or a comment, and the parts of fields that are not
    whole.
    """
    if isinstance(markup, Stretch | Level):
        return ""
    if markup.name in ("w:fldChar", "w:instrText"):
        return "w:fldChar"
    if isinstance(markup, Group) or not markup.name.endswith(("Start", "End")):
        return ""
    return f"{markup.name.removesuffix('Start').removesuffix('End')} {markup.detail}"
