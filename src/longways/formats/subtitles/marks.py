"""Text with markup: moving marks when the text changes, and writing marks as tags."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from longways.formats.text_file import edited

Span = tuple[int, int]
"""Start and end offset of some characters."""
Change = tuple[int, int, str]
"""Start and end offset of some characters, and their replacement."""


class Markup(NamedTuple):
    """The tags of a mark."""

    open: str
    close: str
    """End tag; empty for a standalone tag."""
    closed: bool
    """Whether the file closes the tag, instead of the end of the cue."""


class Marked(NamedTuple):
    """A range of characters and its markup."""

    start: int
    end: int
    markup: Markup
    turn: int = 0
    """Number of the turn of the sentence in which it begins."""


def moves(changes: Iterable[Change]) -> Callable[[int], int]:
    """A function from offsets before to offsets after disjoint, ordered changes."""
    moved, shift = [(0, 0, 0, 0)], 0
    for start, end, new in changes:
        moved.append((start, end, start + shift, len(new)))
        shift += len(new) - (end - start)
    starts = [change[0] for change in moved]

    def moved_to(place: int) -> int:
        start, end, now, length = moved[bisect_right(starts, place) - 1]
        return now + (length + place - end if place >= end else min(place - start, length))

    return moved_to


def changed(
    text: str, marks: Sequence[Marked], changes: Iterable[Change]
) -> tuple[str, list[Marked]]:
    """Apply disjoint, ordered changes to a text and its marks."""
    changes = list(changes) if marks else changes
    new = edited(text, changes)
    if not marks:
        return new, []
    to = moves(changes)
    return new, [mark._replace(start=to(mark.start), end=to(mark.end)) for mark in marks]


def written(
    text: str, marks: Sequence[Marked], escape: Callable[[str], str], *, close_all: bool = False
) -> str:
    """Write a text with its marks as tags. A final tag that the file never closes stays open."""
    closes, opens = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
    for start, end, markup, _ in marks:
        is_open = not markup.closed and end == len(text) and not close_all
        close = [] if is_open else [markup.close]
        if start < end:
            opens[start].append(markup.open)
            closes[end][:0] = close
        else:
            opens[start] += [markup.open, *close]
    parts, last = list[str](), 0
    for place in sorted({*opens, *closes}):
        parts += escape(text[last:place]), *closes[place], *opens[place]
        last = place
    return "".join(parts) + escape(text[last:])
