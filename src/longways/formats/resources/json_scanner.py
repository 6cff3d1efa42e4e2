"""JSON scanner: the place of every string value, in a file that is checked to be JSON.

Comments and a comma before a closing bracket are read, as in the settings of editors (JSONC).
Time is linear in the length of the file, however deep its values lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from longways.errors import FormatError

_SKIPPED = re.compile(r"(?:[ \t\n\r]++|//[^\n\r]*+|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_OTHER = re.compile(r"(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])")
VALUE_CHARACTERS = 100
"""How much of a value at the top of a file tells what the file is for."""


class JsonString(NamedTuple):
    """A string value: `text[start:end]` is between its quotes."""

    start: int
    end: int
    top: str
    """The raw key at the top of the file below which it lies; empty without one."""
    key: str
    """The raw key of the value itself; empty in a list."""


@dataclass(slots=True)
class _Open:
    """An object or a list that has not ended."""

    closing: str
    start: int
    keys: set[str] = field(default_factory=set)
    key: str = ""


class JsonScanner:
    """Reads a text from start to end; raises `FormatError` at what is no JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.keys: dict[str, str] = {}
        """The raw keys at the top of the file, each with the beginning of its value."""
        self.twice: tuple[int, str, int] | None = None
        """Line and name of the first key that an object has twice, and how many there are."""
        self._open: list[_Open] = []
        self._place = 0

    def strings(self) -> Iterator[JsonString]:
        """The string values of the whole text, in order."""
        self._skip()
        yield from self._value()
        while self._open:
            inside = self._open[-1]
            self._skip()
            if self._at(inside.closing):
                self._open.pop()
                self._after_value()
                continue
            if inside.closing == "}":
                self._key(inside)
            yield from self._value()
        self._skip()
        if self._place < len(self.text):
            raise self._error("the end of the file")

    def around(self, limit: int) -> list[tuple[int, str]]:
        """The start, and the raw key of the value in it, of objects and lists that are open.

        They are those around the string that `strings` gave last, outer ones first, at most
        `limit`. A list has no keys.
        """
        return [(outer.start, outer.key) for outer in self._open[:limit]]

    def _value(self) -> Iterator[JsonString]:
        """Read a value, or the beginning of an object or a list."""
        opened = self.text[self._place : self._place + 1]
        if opened in ("{", "["):
            self._open.append(_Open("}" if opened == "{" else "]", self._place))
            self._place += 1
            return
        if found := _STRING.match(self.text, self._place):
            top, key = (self._open[0].key, self._open[-1].key) if self._open else ("", "")
            yield JsonString(found.start() + 1, found.end() - 1, top, key)
        elif not (found := _OTHER.match(self.text, self._place)):
            raise self._error("a value")
        self._place = found.end()
        self._after_value()

    def _after_value(self) -> None:
        """Read the comma after a value inside of an object or a list, unless this ends."""
        self._skip()
        if self._open and not self._at(",") and not self._is_at(self._open[-1].closing):
            raise self._error(f"a comma or {self._open[-1].closing}")

    def _key(self, inside: _Open) -> None:
        """Read a key and the colon after it."""
        found = _STRING.match(self.text, self._place)
        if not found:
            raise self._error("a key in double quotes")
        key = found[0][1:-1]
        if key in inside.keys:
            line, first, count = self.twice or (self._line(), key, 0)
            self.twice = line, first, count + 1
        inside.keys.add(key)
        inside.key = key
        self._place = found.end()
        self._skip()
        if not self._at(":"):
            raise self._error("a colon")
        self._skip()
        if len(self._open) == 1:
            self.keys[key] = self.text[self._place : self._place + VALUE_CHARACTERS]

    def _skip(self) -> None:
        found = _SKIPPED.match(self.text, self._place)
        assert found  # it may be empty
        self._place = found.end()

    def _is_at(self, sign: str) -> bool:
        return self.text.startswith(sign, self._place)

    def _at(self, sign: str) -> bool:
        """Whether a sign is here; it is read then."""
        if not self._is_at(sign):
            return False
        self._place += len(sign)
        return True

    def _line(self) -> int:
        return self.text.count("\n", 0, self._place) + 1

    def _error(self, wanted: str) -> FormatError:
        column = self._place - (self.text.rfind("\n", 0, self._place) + 1) + 1
        found = self.text[self._place : self._place + 20].split("\n")[0]
        there = f"there is {found!r}" if found else "the line or the file ends"
        return FormatError(
            f"Line {self._line()}, column {column}: {wanted} should be here, but {there}. The file "
            "is not valid JSON; correct it, for example with the help of an editor."
        )
