r"""The passages of a LaTeX file: its paragraphs, and the texts in arguments of commands.

In the preamble only arguments are read: `\title{...}`.
"""

from __future__ import annotations

from collections.abc import Callable

from longways.formats.latex.arguments import arguments, is_text
from longways.formats.latex.characters import accented, printed
from longways.formats.latex.commands import names
from longways.formats.latex.environments import (
    OPTIONS_KEPT,
    PLAIN_ENVIRONMENTS,
    TABLE_ENVIRONMENTS,
)
from longways.formats.latex.macros import MAX_ARGUMENTS, MacroReader
from longways.formats.latex.tokens import (
    ACCENT,
    BEGIN,
    BLANK,
    COMMAND,
    COMMENT,
    DISPLAY,
    END,
    HIDDEN,
    HREF,
    MATHS,
    ONE,
    SPACE,
    SYMBOL,
    TEXT,
    VERB,
    Tokens,
    environment_of,
)
from longways.formats.nested.nodes import Node

_SPACES = frozenset(["\\ ", "\\\n", "\\\r", "\\\r\n", "\\\t"])
_DROPPED = frozenset(["\\-", "\\/", "\\@"])
"""Signs that belong to the old words: hyphenation and ends of sentences."""
_SECTIONS = names("part chapter section subsection chapter* section* subsection*")
_TITLED = names("block alertblock exampleblock frame tcolorbox")
"""Environments whose arguments in braces are titles."""


class LatexReader(MacroReader):
    """Reads a range of tokens into nodes."""

    def __init__(self, tokens: Tokens, language: str, *, depth: int = 0) -> None:
        super().__init__(tokens, language, depth=depth)
        self._by_kind: dict[int, Callable[[int, int], int]] = {
            TEXT: self._text, SPACE: self._space, COMMENT: self._comment, BLANK: self._break,
            COMMAND: self._command, ACCENT: self._accent, SYMBOL: self._symbol, MATHS: self._maths,
            VERB: self._verb, HREF: self._link, BEGIN: self._begin, END: self._end, ONE: self._one,
            DISPLAY: self._skip, HIDDEN: self._hidden,
        }  # fmt: skip

    def document(self) -> list[Node]:
        """The nodes of a whole file."""
        begun, ended = self._body()
        self._silent = begun > 0
        self.read(0, begun)
        self._silent = False
        self.read(begun, ended)
        return self.nodes

    def _body(self) -> tuple[int, int]:
        """The tokens of the body; all of a chapter, whose examples may have a preamble too."""
        tokens, ended = self.tokens, len(self.tokens)
        has_class = False
        for number, kind in enumerate(tokens.kinds):
            name = tokens.name(number) if kind == COMMAND else ""
            if kind == BEGIN and environment_of(tokens.at(number)) == "document":
                return number, self._last_end(number)
            if name == "documentclass":
                has_class = True
            elif not has_class and (name in _SECTIONS or kind == BEGIN):
                return 0, ended
        return (ended, ended) if has_class else (0, ended)

    def _last_end(self, first: int) -> int:
        """The token of the last end of the document."""
        tokens = self.tokens
        for number in range(len(tokens) - 1, first, -1):
            if tokens.kinds[number] == END and environment_of(tokens.at(number)) == "document":
                return number
        return len(tokens)

    def _read(self, first: int, last: int) -> None:
        kinds, number = self.tokens.kinds, first
        while number < last:
            number = self._by_kind.get(kinds[number], self._one)(number, last)

    # Words

    def _text(self, number: int, _: int) -> int:
        if not self._silent:
            self._line.text(printed(self.tokens.at(number)), *self._span(number))
        return number + 1

    def _space(self, number: int, _: int) -> int:
        raw = self.tokens.at(number)
        self._line.space("\n" if "\n" in raw or "\r" in raw else " ")
        return number + 1

    def _accent(self, number: int, _: int) -> int:
        if not self._silent:
            self._line.text(accented(self.tokens.at(number)), *self._span(number))
        return number + 1

    def _maths(self, number: int, last: int) -> int:
        partner = min(self.tokens.partners[number], last - 1)
        return self._word(number, partner + 1)

    def _verb(self, number: int, _: int) -> int:
        return self._word(number, number + 1)

    def _comment(self, number: int, _: int) -> int:
        start, end = self._span(number)
        self._line.alone(start, end, is_comment=True)
        return number + 1

    def _symbol(self, number: int, last: int) -> int:
        token = self.tokens.at(number)
        if token == "\\\\":
            return self._new_line(number, last)
        if token in ("\\>", "\\="):
            return self._break(number, last)
        if token in _SPACES:
            self._line.space(" ")
        elif token[1:] in ("%", "&", "#", "_", "$", "{", "}") and not self._silent:
            self._line.text(token[1:], *self._span(number))
        elif token not in _DROPPED:
            self._line.alone(*self._span(number))
        return number + 1

    def _one(self, number: int, last: int) -> int:
        sign = self.tokens.at(number)
        if sign == "{":
            return self._group(number, last)
        if sign in "}&":
            self._flush(self.tokens.starts[number])
        elif sign == "~":
            self._line.space(" ", tie=True)
        elif sign == "#" and not self._silent:
            digit = self.text[self.tokens.stop(number) : self.tokens.stop(number) + 1]
            if digit.isdigit():
                return self._parameter(number)
            self._line.alone(*self._span(number))
        elif sign in "[]" and not self._silent:
            self._line.text(sign, *self._span(number))
        else:
            self._line.alone(*self._span(number))
        return number + 1

    def _parameter(self, number: int) -> int:
        """A parameter of a macro: `#1`; the rest of its token is text."""
        start, end = self.tokens.starts[number], self.tokens.starts[number + 1] + 1
        self._line.word(self.text[start:end], start, end)
        rest, stop = self.text[end : self.tokens.stop(number + 1)], self.tokens.stop(number + 1)
        if rest:
            self._line.text(printed(rest), end, stop)
        return number + 2

    # Ends of sentences

    def _skip(self, number: int, last: int) -> int:
        """Something on lines of its own that stays."""
        self._flush(self.tokens.starts[number])
        return max(number + 1, min(self.tokens.partners[number] + 1, last))

    def _hidden(self, number: int, last: int) -> int:
        """An environment that is not read, except for the keys of its options."""
        start, end = self._span(number)
        begun = self.text.find("}", start, end) + 1
        if self.text[begun : begun + 1] == "[" and (closed := self.text.find("]", begun, end)) > 0:
            line_end = self.text.find("\n", begun, end)
            closed = max(closed, self.text.rfind("]", begun, line_end))
            self._flush(start)
            self._settings("", begun + 1, closed)
        return self._skip(number, last)

    def _new_line(self, number: int, last: int) -> int:
        self._flush(self.tokens.starts[number])
        after = number + 1
        if after < last and self.tokens.at(after).startswith("*"):
            return after  # the star is part of the next text
        options = list(arguments(self.tokens, after, last, braces=0, apart=False))
        return options[0].close + 1 if options else after

    def _begin(self, number: int, last: int) -> int:
        self._flush(self.tokens.starts[number])
        name = environment_of(self.tokens.at(number))
        self._tables += name in TABLE_ENVIRONMENTS
        braces = 0 if name in PLAIN_ENVIRONMENTS else MAX_ARGUMENTS
        after = number + 1
        for one in arguments(self.tokens, after, last, braces=braces, apart=False):
            start, end = self._range(one)
            if one.is_option:
                self._option(name, one, name not in OPTIONS_KEPT)
            elif name in _TITLED or is_text(self.text, start, end, self.language):
                self.nodes += self._inner(one.open + 1, one.close)
            after = one.close + 1
        return after

    def _end(self, number: int, _: int) -> int:
        self._flush(self.tokens.starts[number])
        name = environment_of(self.tokens.at(number))
        self._tables = max(self._tables - (name in TABLE_ENVIRONMENTS), 0)
        return number + 1
