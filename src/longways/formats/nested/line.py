"""The passage that is being read: its words, markup and kept parts, token by token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from longways.formats.base import Mark, Passage
from longways.formats.nested.nodes import Item, Node
from longways.formats.placeholders import Range, kept_parts

_NO_WORDS: Mapping[str, Sequence[Range]] = MappingProxyType({})
_NO_TIES = frozenset[str]()
"""Of most passages; one for all of them saves memory."""


class Line:
    """Collects a passage; what is before its first word and after its last one is outside."""

    def __init__(self) -> None:
        self._parts, self._length = list[str](), 0
        self._items: list[Item] = []
        self._ranges: list[list[int]] = []
        self._open: list[int] = []
        self._kept: list[Range] = []
        self._words: dict[str, list[Range]] = {}
        self._tied: set[str] = set()
        self._children: list[Node] = []
        self._first, self._last = -1, -1
        self._items_at_last = 0
        self._tie = False
        self._visible = 0
        """The length of the text up to its last sign that is no space."""

    @property
    def is_open(self) -> bool:
        """Whether a mark is open."""
        return bool(self._open)

    def text(self, text: str, start: int, end: int) -> None:
        """Add words."""
        self._begin(start)
        self._parts.append(text)
        self._length += len(text)
        self._visible = self._length
        self._end(end)

    def space(self, text: str, *, tie: bool = False) -> None:
        """Add a space or a line end; several are one."""
        self._tie = tie
        if self._length and not self._parts[-1][-1].isspace():
            self._parts.append(text)
            self._length += 1

    def word(self, raw: str, start: int, end: int) -> None:
        """Add a formula or command that stays."""
        self._begin(start)
        shown = " ".join(raw.split())
        shown = shown.removesuffix("{}") or shown
        self._words.setdefault(shown, []).append((start, end))
        if self._tie:
            self._tied.add(shown)
        self._kept.append((self._length, self._length + len(shown)))
        self._parts.append(shown)
        self._length += len(shown)
        self._visible = self._length
        self._end(end)

    def alone(
        self, start: int, end: int, children: Sequence[Node] = (), *, is_comment: bool = False
    ) -> None:
        """Add an item between words."""
        self._children += children
        if self._first < 0:
            return
        parent = self._open[-1] if self._open else -1
        self._ranges.append([self._length, self._length])
        self._items.append(Item((start, end), (end, end), parent, is_comment))
        if self._open:
            self._end(end)

    def open(self, start: int, end: int) -> None:
        """Begin a mark; `text[start:end]` opens it."""
        self._begin(start)
        parent = self._open[-1] if self._open else -1
        self._open.append(len(self._items))
        self._ranges.append([self._length, self._length])
        self._items.append(Item((start, end), (end, end), parent))

    def close(self, start: int, end: int, *, kept: bool = False) -> None:
        """End the last mark; without words in it, it is an item between words."""
        number = self._open.pop()
        begun, item = self._ranges[number][0], self._items[number]
        if self._visible > begun:
            self._ranges[number][1] = self._length
            self._items[number] = Item(item.open, (start, end), item.parent)
            if kept:
                self._kept.append((begun, self._length))
        else:
            del self._items[number + 1 :], self._ranges[number + 1 :]
            self._items[number] = Item((item.open[0], end), (end, end), item.parent)
        self._end(end)

    def nodes(self, place: str, end: int) -> list[Node]:
        """The node of the passage if it has words, or the nodes inside of its items."""
        while self._open:
            self.close(end, end)
        whole = "".join(self._parts)
        text = whole.strip()
        shift, size = len(whole) - len(whole.lstrip()), len(text)
        kept = [(max(a - shift, 0), min(b - shift, size)) for a, b in self._kept]
        keep = kept_parts(text, [(a, b) for a, b in kept if a < b])
        if not _has_words(text, keep):
            return self._children
        inside = [one for one in self._children if one.start < self._last]
        marks = [self._mark(tag, shift, size) for tag in range(self._items_at_last)]
        passage = Passage(text, tuple(sorted(marks, key=lambda m: (m.start, m.tag))), keep)
        items = tuple(self._items[: self._items_at_last])
        before = [one for one in inside if one.start < self._first]
        children = tuple(inside[len(before) :])
        words, tied = self._words or _NO_WORDS, frozenset(self._tied) or _NO_TIES
        node = Node(self._first, self._last, passage, items, words, tied, children, place)
        return [*before, node, *(one for one in self._children if one.start >= self._last)]

    def _mark(self, tag: int, shift: int, size: int) -> Mark:
        start, end = (min(max(at - shift, 0), size) for at in self._ranges[tag])
        return Mark(start, end, tag)

    def _begin(self, start: int) -> None:
        if self._first < 0:
            self._first = start

    def _end(self, end: int) -> None:
        self._tie = False
        self._last, self._items_at_last = end, len(self._items)


def _has_words(text: str, keep: Sequence[Range]) -> bool:
    """Whether a text has a letter outside of its kept parts."""
    place = 0
    for start, end in (*keep, (len(text), len(text))):
        if any(map(str.isalpha, text[place:start])):
            return True
        place = end
    return False
