"""A passage of a file, with what its marks and kept words stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longways.formats.base import Passage
from longways.formats.placeholders import Range


@dataclass(frozen=True, slots=True)
class Item:
    """What a mark stands for, as ranges of the file."""

    open: Range
    close: Range
    """Empty for an item between words."""
    parent: int
    """The tag of the mark around it; -1 without one."""
    is_comment: bool = False

    @property
    def is_pair(self) -> bool:
        """Whether it encloses words."""
        return self.close[1] > self.close[0]


@dataclass(frozen=True, slots=True)
class Node:
    """A passage, `text[start:end]` of the file, and the passages inside of its items."""

    start: int
    end: int
    passage: Passage
    items: Sequence[Item]
    words: Mapping[str, Sequence[Range]]
    """Kept parts that are commands or formulas, and all places where they are."""
    tied: frozenset[str]
    """Words with a tie (`~`) before them."""
    children: Sequence[Node]
    place: str
    """What kind of place it is; only the format knows its meaning."""

    def all(self) -> Iterator[Node]:
        """The node and all nodes inside of it, in reading order."""
        yield self
        for child in self.children:
            yield from child.all()
