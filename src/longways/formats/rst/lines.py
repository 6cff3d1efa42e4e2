"""Lines of a reStructuredText file: where each begins and ends, and how far it is indented.

Columns are counted as docutils does: a tab extends to the next multiple of eight, every other
character is one column wide. Widths of titles and tables count East Asian wide characters twice.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_LINE = re.compile(r"([^\n\r\x1c-\x1e\x85\u2028\u2029]*)(\r\n|[\n\r\x1c-\x1e\x85\u2028\u2029]|\Z)")
TAB_COLUMNS = 8
MAX_INDENT_CHARACTERS = 400
"""A longer indentation is written with spaces."""
_BLANKS = re.compile(r"\s+")


class Line(NamedTuple):
    """The visible part of a line, `text[begin:end]`; empty for a blank line."""

    begin: int
    end: int
    column: int

    @property
    def is_blank(self) -> bool:
        """Whether nothing is visible in it."""
        return self.begin == self.end

    def inner(self, text: str, offset: int) -> Line:
        """The line from an offset behind its begin on, without whitespace."""
        begin = self.begin + offset
        own = text[begin : self.end]
        skipped = len(own) - len(own.lstrip())
        column = self.column + columns(text[self.begin : begin + skipped], self.column)
        return Line(begin + skipped, self.end, column)


def lines_of(text: str, start: int = 0) -> list[Line]:
    """All lines of a text from an offset on; tabs at their begin are expanded."""
    lines = list[Line]()
    for match in _LINE.finditer(text, start):
        if match.start() == match.end() == len(text) and lines:
            break
        own = match[1]
        bare = own.strip()
        begin = match.start() + len(own) - len(own.lstrip())
        column = columns(text[match.start() : begin], 0) if bare else 0
        lines.append(Line(begin, begin + len(bare), column))
    return lines


def columns(text: str, start: int) -> int:
    """The number of columns of a text that begins at a column."""
    if "\t" not in text:
        return len(text)
    place = start
    for char in text:
        place += TAB_COLUMNS - place % TAB_COLUMNS if char == "\t" else 1
    return place - start


def is_wide(char: str) -> bool:
    """Whether a character takes two columns of a title or a table."""
    return unicodedata.east_asian_width(char) in "WF"


def width(text: str) -> int:
    """The number of columns that a text takes on a screen."""
    if text.isascii():
        return len(text)
    combining = sum(unicodedata.combining(char) != 0 for char in text)
    return len(text) + sum(map(is_wide, text)) - combining


def joined(text: str, lines: Sequence[Line]) -> str:
    r"""The visible parts of lines with `\n` between them."""
    return "\n".join(text[line.begin : line.end] for line in lines)


def on_one_line(text: str) -> str:
    """A text with one space in place of each run of whitespace."""
    return _BLANKS.sub(" ", text)


def trimmed(lines: Sequence[Line]) -> list[Line]:
    """Lines without blank lines at both ends."""
    start, end = 0, len(lines)
    while start < end and lines[start].is_blank:
        start += 1
    while end > start and lines[end - 1].is_blank:
        end -= 1
    return list(lines[start:end])


def indented(lines: Sequence[Line], at: int, column: int) -> int:
    """The number of the line after a block that is indented at least to a column."""
    end = at
    while at < len(lines) and (lines[at].is_blank or lines[at].column >= column):
        at += 1
        end = at if not lines[at - 1].is_blank else end
    return end


def indentation(text: str, begin: int, column: int) -> str:
    """What begins a new line of a block: the whitespace of its first line, or spaces."""
    nearby = text[max(begin - MAX_INDENT_CHARACTERS, 0) : begin]
    own = nearby[max(nearby.rfind("\n"), nearby.rfind("\r")) + 1 :]
    return own if own.isspace() else " " * column
