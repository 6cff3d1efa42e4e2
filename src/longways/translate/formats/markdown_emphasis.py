"""Emphasis written with its own characters, where a reader of Markdown sees them as such."""

from __future__ import annotations

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace

EMPHASIS = frozenset(["em", "strong", "s"])
"""The marks that are written with delimiters."""


class Delimiters:
    """Puts delimiters in place of the ends of marks, from the inside out.

    How far a run of them goes is remembered, so that emphasis inside emphasis, however deep,
    takes time in proportion to its length. A piece that has become part of a run stays one.
    """

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.ends: dict[tuple[str, int, int], int] = {}

    def write(self, own: str, name: str, start: int, end: int) -> None:
        """Write a mark's two ends with the character it had, or with one that would be seen."""
        for char in dict.fromkeys([own, "~" if own == "~" else "*"]):
            before, first = self._beside(start, char)
            last, after = self._beside(end, char)
            if _opens(before, first, char) and _closes(last, after, char):
                self.pieces[start] = self.pieces[end] = char if name == "em" else char * 2
                return

    def _beside(self, at: int, char: str) -> tuple[str, str]:
        """The characters before and after a piece; those of the same run are not seen."""
        before, after = self._end(at, char, -1), self._end(at, char, 1)
        left = self.pieces[before][-1] if before >= 0 else " "
        return left, self.pieces[after][0] if after < len(self.pieces) else " "

    def _end(self, at: int, char: str, way: int) -> int:
        """The first piece on that side that is not of the run."""
        place = at + way
        while 0 <= place < len(self.pieces) and not self.pieces[place].strip(char):
            place = self.ends.get((char, way, place), place + way)
        self.ends[char, way, at] = place
        return place


def _opens(before: str, after: str, char: str) -> bool:
    left, right = _flanks(before, after)
    return left and (char != "_" or not right or _is_punctuation(before))


def _closes(before: str, after: str, char: str) -> bool:
    left, right = _flanks(before, after)
    return right and (char != "_" or not left or _is_punctuation(after))


def _flanks(before: str, after: str) -> tuple[bool, bool]:
    """Whether a run of delimiters can begin emphasis, and whether it can end it."""
    spaces = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
    signs = _is_punctuation(before), _is_punctuation(after)
    left = not spaces[1] and (not signs[1] or spaces[0] or signs[0])
    right = not spaces[0] and (not signs[0] or spaces[1] or signs[1])
    return left, right


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)
