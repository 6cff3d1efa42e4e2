"""Tokens of an HTML file, and a compact list of tokens."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

Kind = Literal["text", "literal", "start", "end", "raw", "island", "other", "doctype"]

Sort = tuple[Kind, str, bool]
"""A token without its position: kind, name, and whether it ends with a slash."""


class Token(NamedTuple):
    """A token: `text[start:end]`."""

    kind: Kind
    """`literal` is text without character references (CDATA), `raw` the content of a script
    or style, `island` a whole drawing, formula or frame, `other` a comment or instruction."""
    start: int
    end: int
    name: str = ""
    """Name of a tag or an island, in lower case."""
    closed: bool = False
    """Whether a start tag ends with a slash."""


class Tokens:
    """A list of contiguous tokens that needs little memory.

    It stores only the end and the sort of each token, a tenth of the memory of `Token` objects.
    """

    def __init__(self, tokens: Iterable[Token]) -> None:
        self.sorts: list[Sort] = []
        self._ends = array("q", [0])
        alike: dict[Sort, Sort] = {}
        for kind, _, end, name, closed in tokens:
            sort = kind, name, closed
            self.sorts.append(alike.setdefault(sort, sort))
            self._ends.append(end)

    def __len__(self) -> int:
        return len(self.sorts)

    def __getitem__(self, number: int) -> Token:
        kind, name, closed = self.sorts[number]
        return Token(kind, self._ends[number], self._ends[number + 1], name, closed)

    def __iter__(self) -> Iterator[Token]:
        start = 0
        for (kind, name, closed), end in zip(self.sorts, self._ends[1:], strict=True):
            yield Token(kind, start, end, name, closed)
            start = end
