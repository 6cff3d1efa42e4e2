"""Text on a grid of columns, as tables are drawn: a wide character takes two columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from longways.formats.rst.lines import is_wide, width

_HANGING = re.compile(r"\s*(?:(?:[-+*\u2022]|\(?(?:\#|\d+|[A-Za-z])[.)])\s+)?")
MIN_WRAP_COLUMNS = 16
"""Cells are not wrapped at less than this width; the table becomes wider."""


def screen_row(text: str) -> list[str]:
    """The columns of a line: a wide character is followed by an empty one."""
    row = list[str]()
    for char in text:
        if unicodedata.combining(char) and row:
            row[-1] += char
        else:
            row += [char, ""] if is_wide(char) else [char]
    return row


def cut(row: Sequence[str], start: int, end: int | None) -> str:
    """The text in some columns, without whitespace at its end."""
    return "".join(row[start:end]).rstrip()


def margin(lines: Sequence[str]) -> int:
    """The indentation that all lines have."""
    return min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)


def padded(text: str, columns: int) -> str:
    """A text with spaces up to a number of columns."""
    return text + " " * (columns - width(text))


def wrapped(line: str, columns: int) -> list[str]:
    """A line of a paragraph or an item at spaces, each part at most some columns wide."""
    columns = max(columns, MIN_WRAP_COLUMNS)
    if width(line) <= columns:
        return [line]
    hanging = _HANGING.match(line)
    first = hanging[0] if hanging else ""
    parts, current = list[str](), first
    for word in line[len(first) :].split(" "):
        if current.strip() and current != first and width(f"{current} {word}") > columns:
            parts.append(current)
            current = " " * len(first) + word
        else:
            current = current + word if current in (first, "") else f"{current} {word}"
    return [*parts, current]
