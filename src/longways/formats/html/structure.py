"""Matching of HTML tags, also where tags are missing or overlap.

The two tags of an inline element form a pair if they are in the same block and nest. Any other tag
of an inline element is standalone.
"""

from __future__ import annotations

from array import array
from collections import Counter

from longways.formats.html.elements import BLOCKS, ENDS_P, IMPLIED_END, VOID
from longways.formats.html.tokens import Tokens

_MAX_OPEN_BLOCKS = 64
"""Open blocks that are searched for one with an implied end."""


class Structure:
    """The elements of a file, by token number."""

    def __init__(self, tokens: Tokens, *, xml: bool) -> None:
        self.ends = array("q", [-1]) * len(tokens)
        """For a start tag, the token that ends its element; -1 if there is none."""
        self.starts = array("q", [-1]) * len(tokens)
        """For an end tag, the start tag of its element; -1 if there is none."""
        self.breaking: set[int] = set()
        """Tags of inline elements that contain blocks; they end passages too."""
        self.unended: list[int] = []
        """Start tags of blocks that are open at the end of the file."""
        _Matcher(self, tokens, xml=xml).run()


class _OpenBlock:
    """An open block and its open inline elements."""

    def __init__(self, name: str, start: int) -> None:
        self.name, self.start = name, start
        self.inside: list[tuple[str, int, int]] = []
        """Name, start tag, and number of block tags before it."""
        self.counts: dict[str, int] = {}
        """Number of open inline elements by name."""


class _Matcher:
    def __init__(self, structure: Structure, tokens: Tokens, *, xml: bool) -> None:
        self.structure, self.tokens, self.xml = structure, tokens, xml
        self.open = [_OpenBlock("", -1)]
        self.counts: Counter[str] = Counter()
        self.breaks = 0
        """Number of block tags so far."""

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
                self.open.append(_OpenBlock(name, number))
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
        for depth in range(1, min(len(self.open), _MAX_OPEN_BLOCKS)):
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
        """End an inline element and the unclosed elements inside it."""
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

    def _pop(self, number: int) -> _OpenBlock:
        """End the innermost block."""
        block = self.open.pop()
        self.counts[block.name] -= 1
        self.structure.ends[block.start] = number
        return block
