"""Items of lists in lists, and how a text file begins and ends its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from benchmarks.round_trips.texts import Block

MARK = "\ufeff"
"""A byte order mark."""


@dataclass
class Item:
    """An item with the items below it."""

    block: Block
    inner: list[Item] = field(default_factory=list)

    @property
    def is_step(self) -> bool:
        """Whether it is numbered."""
        return self.block.kind == "step"


def tree(items: Sequence[Block]) -> list[Item]:
    """The items of a list, each with the deeper ones that follow it."""
    roots = list[Item]()
    last = dict[int, Item]()
    for block in items:
        item = Item(block)
        above = last.get(block.depth - 1)
        (above.inner if above else roots).append(item)
        last = {depth: one for depth, one in last.items() if depth < block.depth}
        last[block.depth] = item
    return roots


def lists(items: Sequence[Item]) -> Iterator[tuple[bool, list[Item]]]:
    """The lists that stand below each other: whether each is numbered, and its items."""
    for is_step, found in groupby(items, key=lambda item: item.is_step):
        yield is_step, list(found)


def dressed(text: str, number: int) -> bytes:
    """A text in UTF-8; every third file has CRLF as line ends, every fourth a byte order mark."""
    text = text.replace("\n", "\r\n") if number % 3 == 1 else text
    return ((MARK if number % 4 == 2 else "") + text).encode()
