"""Which tags of an HTML file belong together, though tags may be missing or cross each other.

An element that stands in a line of text has a pair of tags if both are in the same block and nest.
Of any other tag of such an element there is no pair; it stands by itself.
"""

from __future__ import annotations

from array import array
from collections import Counter

from longways.translate.formats.html_elements import BLOCKS, ENDS_P, IMPLIED_END, VOID
from longways.translate.formats.html_tokens import Tokens

_FARTHEST = 64
"""How many open blocks are looked at for one that ends where another begins."""


class Structure:
    """The elements of a file, by the numbers of its tokens."""

    def __init__(self, tokens: Tokens, *, xml: bool) -> None:
        self.ends = array("q", [-1]) * len(tokens)
        """For a start tag: the token with which its element ends; -1 if there is none."""
        self.starts = array("q", [-1]) * len(tokens)
        """For an end tag: the start tag of its element; -1 if there is none."""
        self.breaking: set[int] = set()
        """Tags of elements in a line of text that have blocks in them: they end passages too."""
        self.unended: list[int] = []
        """Start tags of blocks that are open at the end of the file."""
        _Matcher(self, tokens, xml=xml).run()


class _Block:
    """An open block, and the elements in its line of text that are open."""

    def __init__(self, name: str, start: int) -> None:
        self.name, self.start = name, start
        self.inside: list[tuple[str, int, int]] = []
        """Name, start tag, and how many tags of blocks there were before it."""
        self.counts: dict[str, int] = {}
        """How many of each name there are among them."""


class _Matcher:
    def __init__(self, structure: Structure, tokens: Tokens, *, xml: bool) -> None:
        self.structure, self.tokens, self.xml = structure, tokens, xml
        self.open = [_Block("", -1)]
        self.counts: Counter[str] = Counter()
        self.breaks = 0
        """How many tags of blocks there were."""

    def run(self) -> None:
        for number, (kind, name, closed) in enumerate(self.tokens.sorts):
            if kind == "start":
                self._start(number, name, empty=name in VOID or (self.xml and closed))
            elif kind == "end":
                self._end(number, name)
        self.structure.unended = [block.start for block in self.open[1:]]
        while len(self.open) > 1:
            self._pop(len(self.tokens))

    def _start(self, number: int, name: str, *, empty: bool) -> None:
        if name in BLOCKS:
            self.breaks += 1
            self._end_implied(number, name)
            if not empty:
                self.open.append(_Block(name, number))
                self.counts[name] += 1
        elif not empty:
            block = self.open[-1]
            block.inside.append((name, number, self.breaks))
            block.counts[name] = block.counts.get(name, 0) + 1
        if empty:
            self.structure.ends[number] = number

    def _end_implied(self, number: int, name: str) -> None:
        """End the blocks that end where this one begins."""
        if self.open[-1].name == "p" and name in ENDS_P:
            self._pop(number)
        if name not in IMPLIED_END:
            return
        ended, kept = IMPLIED_END[name]
        for depth in range(1, min(len(self.open), _FARTHEST)):
            block = self.open[-depth]
            if block.name in kept or not any(self.counts[name] for name in ended):
                return
            if block.name in ended:
                for _ in range(depth):
                    self._pop(number)
                return

    def _end(self, number: int, name: str) -> None:
        if name not in BLOCKS:
            self._end_inside(number, name)
            return
        self.breaks += 1
        if self.counts[name]:
            while (block := self._pop(number)).name != name:
                pass
            self.structure.starts[number] = block.start

    def _end_inside(self, number: int, name: str) -> None:
        """End an element in a line of text, and those in it that were not."""
        block = self.open[-1]
        while block.counts.get(name):
            found, start, breaks = block.inside.pop()
            block.counts[found] -= 1
            if found == name:
                self.structure.ends[start] = number
                self.structure.starts[number] = start
                if breaks < self.breaks:
                    self.structure.breaking |= {start, number}
                return

    def _pop(self, number: int) -> _Block:
        """End the innermost block."""
        block = self.open.pop()
        self.counts[block.name] -= 1
        self.structure.ends[block.start] = number
        return block
