"""The value of a string with escapes, and the place in the file of each of its characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable


class Decoded:
    """A value that was read from a range of a file."""

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        escape: re.Pattern[str] | None = None,
        meaning: Callable[[re.Match[str]], str] = lambda escape: escape[0],
    ) -> None:
        """`escape` finds the escapes in `text[start:end]`, `meaning` is the text of one of them."""
        self._ends = [(0, start)]
        """Offset in the value, and in the file, of the end of each escape."""
        self._starts = [(0, start)]
        parts, place, length = list[str](), start, 0
        for match in escape.finditer(text, start, end) if escape else ():
            parts += text[place : match.start()], meaning(match)
            length += match.start() - place
            self._starts.append((length, match.start()))
            length += len(parts[-1])
            place = match.end()
            self._ends.append((length, place))
        self.value = "".join([*parts, text[place:end]])

    def start(self, offset: int) -> int:
        """The place in the file where the character at an offset of the value begins."""
        return self._place(offset, bisect_right(self._ends, offset, key=_first) - 1)

    def end(self, offset: int) -> int:
        """The place in the file where the character before an offset of the value ends."""
        last = bisect_right(self._ends, offset, key=_first) - 1
        while last and self._starts[last][0] == self._ends[last][0] == offset:
            last -= 1  # an escape without a meaning, such as a continued line, lies behind
            if self._starts[last + 1][1] != self._ends[last][1]:
                return self._starts[last + 1][1]
        return self._place(offset, last)

    def _place(self, offset: int, number: int) -> int:
        value, place = self._ends[number]
        return place + offset - value


def _first(pair: tuple[int, int]) -> int:
    return pair[0]
