r"""How the cells of a table are separated and quoted, and the text of a cell in that dialect.

    id;说明             delimiter ; , TAB or |
    1;"用 ""引号"" 括"   a quoted cell, with doubled quotes or with \"

A cell with new text keeps its quotes. One without quotes gets them if its new text needs them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Quoting = Literal["doubled", "backslash", "none"]
r"""What a quote inside of a quoted cell looks like: "", \", or no cell is quoted."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet takes for a formula."""
_LINE_ENDS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_BEFORE_QUOTE = re.compile(r'(\\*)("|\Z)')


@dataclass(frozen=True)
class Dialect:
    """The delimiter and the quoting of a table."""

    delimiter: str
    quoting: Quoting = "doubled"

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """A cell without quotes, or what follows the closing quote of one with quotes."""
        return re.compile(rf"[^{re.escape(self.delimiter)}\r\n]*+")

    @cached_property
    def quoted(self) -> re.Pattern[str] | None:
        """A cell with quotes; spaces may come before it."""
        if self.quoting == "none":
            return None
        inside = r'(?:[^"\\]++|\\.|"")*+' if self.quoting == "backslash" else r'(?:[^"]++|"")*+'
        return re.compile(rf' *+(?P<open>")(?:(?P<text>{inside})")?', re.DOTALL)

    def value(self, text: str, start: int, end: int, *, quoted: bool) -> str:
        """The value of a cell `text[start:end]`."""
        if not quoted:
            return text[start:end]
        inside = text[start + 1 : end - 1].replace('""', '"')
        return inside.replace('\\"', '"') if self.quoting == "backslash" else inside

    def written(self, value: str, *, quoted: bool) -> str:
        """A value as a cell."""
        if self.quoting == "none":
            return _LINE_ENDS.sub(" ", value.replace(self.delimiter, " "))
        if not quoted and not self._needs_quotes(value):
            return value
        if self.quoting == "backslash":
            return f'"{_BEFORE_QUOTE.sub(_with_backslash, value)}"'
        return '"' + value.replace('"', '""') + '"'

    def _needs_quotes(self, value: str) -> bool:
        unsafe = self.delimiter in value or '"' in value or _LINE_ENDS.search(value)
        return bool(unsafe) or value != value.strip()


def _with_backslash(found: re.Match[str]) -> str:
    r"""A quote after a backslash; backslashes before it, or before the last quote, are pairs."""
    slashes = found[1] + "\\" * (len(found[1]) % 2)
    return f'{slashes}\\"' if found[2] else slashes


def guarded(value: str, own: str) -> str:
    """A new value that no spreadsheet takes for a formula, unless its source is one."""
    return f" {value}" if value.startswith(_FORMULA) and not own.startswith(_FORMULA) else value
