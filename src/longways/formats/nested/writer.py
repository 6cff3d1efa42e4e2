"""Writing new passages into a file: every range outside of them is copied.

A format says how a passage is written; this module finds the ranges of its markup and the words
that stay.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence

from longways.formats.base import Passage
from longways.formats.nested.nodes import Node
from longways.formats.placeholders import Range

Places = Mapping[str, Iterator[Range]]
"""The places of each word that stays, in order."""


class NestedWriter(ABC):
    """Writes a file with new passages."""

    def __init__(self, text: str, new: Mapping[int, Passage]) -> None:
        """`new` has the new passages by the `id` of their nodes."""
        self.text, self.new = text, new

    @abstractmethod
    def written(self, node: Node, new: Passage) -> str:
        """What stands in the place of a node with a new passage."""

    def between(self, start: int, end: int, nodes: Sequence[Node]) -> str:
        """A range of the file, with the new passages of the nodes in it."""
        parts, place = list[str](), start
        for node in nodes:
            new = self.new.get(id(node))
            parts.append(self.text[place : node.start])
            if new is None:
                parts.append(self.between(node.start, node.end, node.children))
            else:
                parts.append(self.written(node, new))
            place = node.end
        return "".join([*parts, self.text[place:end]])

    def cut(self, node: Node, place: Range) -> str:
        """A range of the markup of a node, with the new passages in it."""
        first, last = (bisect_left(node.children, at, key=_start) for at in place)
        return self.between(*place, node.children[first:last])

    def raw(self, node: Node, word: str, places: Places) -> str:
        """The next of the places of a word in the file; the last one for more."""
        start, end = next(places[word], node.words[word][-1])
        return self.text[start:end]


def places_of(node: Node) -> Places:
    """The places of the words of a node, each to be used once."""
    return {word: iter(ranges) for word, ranges in node.words.items()}


def found_words(text: str, words: Collection[str]) -> Iterator[Range]:
    """The places of words in a text, of several at one place the longest."""
    if not words:
        return
    lengths = sorted({len(name) for name in words}, reverse=True)
    beginnings = re.compile("|".join(sorted({re.escape(name[0]) for name in words})))
    place = 0
    while begun := beginnings.search(text, place):
        start = begun.start()
        length = next((n for n in lengths if text[start : start + n] in words), 0)
        if length:
            yield start, start + length
        place = start + (length or 1)


def _start(node: Node) -> int:
    return node.start
