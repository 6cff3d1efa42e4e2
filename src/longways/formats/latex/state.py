"""What a reader of LaTeX knows of the place where it is, and how it begins and ends passages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from longways.formats.latex.arguments import Argument, is_title, settings
from longways.formats.latex.commands import is_readable_key
from longways.formats.latex.tokens import Tokens
from longways.formats.nested.line import Line
from longways.formats.nested.nodes import Node

Place = Literal["paragraph", "text", "option", "value"]
"""A paragraph may be followed by another one, a text may not; an option ends at a bracket, and the
value of a key at a comma too."""
MAX_DEPTH = 40
"""Groups that are nested deeper are left as they are."""


class Reading(ABC):
    """The state of a reader in a range of tokens."""

    def __init__(self, tokens: Tokens, language: str, *, depth: int = 0) -> None:
        self.tokens, self.text, self.language = tokens, tokens.text, language
        self.nodes: list[Node] = []
        self.warnings: list[tuple[int, str]] = []
        self._line = Line()
        self._place: Place = "paragraph"
        self._depth, self._tables = depth, 0
        self._silent = False
        """Whether only the arguments of commands are read, as in a preamble."""

    @abstractmethod
    def _read(self, first: int, last: int) -> None:
        """Read some tokens into the passage."""

    def read(self, first: int, last: int) -> None:
        """Read some tokens as a whole: at their end, a passage ends."""
        self._read(first, last)
        self._flush(self.tokens.starts[last])

    def _flush(self, end: int) -> None:
        """End the passage."""
        place: Place = "text" if self._tables else self._place
        self.nodes += self._line.nodes(place, end)
        self._line = Line()

    def _inner(self, first: int, last: int, place: Place = "text") -> list[Node]:
        """The nodes of some tokens that are read by themselves."""
        if self._depth >= MAX_DEPTH:
            self._too_deep(first)
            return []
        before = self._line, self.nodes, self._place, self._silent, self._depth
        self._line, self.nodes, self._place, self._silent = Line(), [], place, False
        self._depth += 1
        self.read(first, last)
        found = self.nodes
        self._line, self.nodes, self._place, self._silent, self._depth = before
        return found

    def _apart(self, first: int, last: int, place: Place = "text") -> None:
        """Read some tokens as passages of their own."""
        self._flush(self.tokens.starts[first])
        self.nodes += self._inner(first, last, place)

    def _too_deep(self, number: int) -> None:
        self.warnings.append((self.tokens.starts[number], "groups are nested so deep"))

    def _break(self, number: int, _: int) -> int:
        self._flush(self.tokens.starts[number])
        return number + 1

    def _span(self, number: int) -> tuple[int, int]:
        return self.tokens.starts[number], self.tokens.starts[number + 1]

    def _word(self, first: int, after: int) -> int:
        """Add some tokens that stay; returns the token after them."""
        if not self._silent:
            start, end = self.tokens.starts[first], self.tokens.starts[after]
            self._line.word(self.text[start:end], start, end)
        return after

    def _range(self, one: Argument) -> tuple[int, int]:
        return self.tokens.stop(one.open), self.tokens.starts[one.close]

    def _option(self, name: str, one: Argument, may_be_title: bool) -> None:
        start, end = self._range(one)
        if may_be_title and is_title(self.text, start, end, self.language):
            self.nodes += self._inner(one.open + 1, one.close, "option")
        elif "=" in self.text[start:end]:
            self._settings(name, start, end)

    def _settings(self, name: str, start: int, end: int) -> None:
        """Read the values of keys that are texts."""
        for key, begun, ended in settings(self.text, start, end):
            if is_readable_key(key, name) and self._depth < MAX_DEPTH:
                tokens = Tokens(self.text, begun, ended)
                inside = type(self)(tokens, self.language, depth=self._depth + 1)
                inside._place = "text" if self.text[begun - 1] == "{" else "value"
                inside.read(0, len(tokens))
                self.nodes += inside.nodes
            elif "=" in self.text[begun:ended] and self._depth < MAX_DEPTH:
                self._depth += 1
                self._settings(name, begun, ended)
                self._depth -= 1
