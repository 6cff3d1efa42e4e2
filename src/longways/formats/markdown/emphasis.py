"""Writing emphasis with delimiters where Markdown recognises them."""

from __future__ import annotations

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace

EMPHASIS = frozenset(["em", "strong", "s"])
"""Markup that is written with delimiters."""


class Delimiters:
    """Replaces the ends of marks by delimiters, from the inside out.

    The extent of each delimiter run is cached, so that nested emphasis takes linear time. A
    fragment in a run stays in it.
    """

    def __init__(self, fragments: list[str]) -> None:
        self.fragments = fragments
        self.ends: dict[tuple[str, int, int], int] = {}

    def write(self, own: str, name: str, start: int, end: int) -> None:
        """Write both delimiters of a mark, with its own character or one that is recognised."""
        for char in dict.fromkeys([own, "~" if own == "~" else "*"]):
            before, first = self._beside(start, char)
            last, after = self._beside(end, char)
            if _opens(before, first, char) and _closes(last, after, char):
                self.fragments[start] = self.fragments[end] = char if name == "em" else char * 2
                return

    def _beside(self, at: int, char: str) -> tuple[str, str]:
        """The characters before and after the delimiter run of a fragment."""
        before, after = self._end(at, char, -1), self._end(at, char, 1)
        left = self.fragments[before][-1] if before >= 0 else " "
        return left, self.fragments[after][0] if after < len(self.fragments) else " "

    def _end(self, at: int, char: str, step: int) -> int:
        """The first fragment in this direction outside the delimiter run."""
        place = at + step
        while 0 <= place < len(self.fragments) and not self.fragments[place].strip(char):
            place = self.ends.get((char, step, place), place + step)
        self.ends[char, step, at] = place
        return place


def _opens(before: str, after: str, char: str) -> bool:
    left, right = _flanks(before, after)
    return left and (char != "_" or not right or _is_punctuation(before))


def _closes(before: str, after: str, char: str) -> bool:
    left, right = _flanks(before, after)
    return right and (char != "_" or not left or _is_punctuation(after))


def _flanks(before: str, after: str) -> tuple[bool, bool]:
    """Whether a delimiter run is left-flanking, and whether it is right-flanking."""
    spaces = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
    signs = _is_punctuation(before), _is_punctuation(after)
    left = not spaces[1] and (not signs[1] or spaces[0] or signs[0])
    right = not spaces[0] and (not signs[0] or spaces[1] or signs[1])
    return left, right


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)
