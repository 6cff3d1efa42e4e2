"""Text with markup beside it: how places move as the text changes, and how it is written again."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

Span = tuple[int, int]
"""Characters, from and up to."""
Change = tuple[int, int, str]
"""Characters, from and up to, and what to put in their place."""


class Markup(NamedTuple):
    """What a mark stands for."""

    open: str
    close: str
    """Empty for a tag that stands by itself."""
    closed: bool
    """Whether the file closes it, or leaves that to the end of the cue."""


class Marked(NamedTuple):
    """Characters, from and up to, and their markup."""

    start: int
    end: int
    markup: Markup
    turn: int = 0
    """In which of the turns of a sentence it begins."""


def moves(changes: Iterable[Change]) -> Callable[[int], int]:
    """Where a place of a text is after some changes, which are apart and in order."""
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
    text: str, marks: Sequence[Marked], changes: Sequence[Change]
) -> tuple[str, list[Marked]]:
    """A text after some changes, which are apart and in order, and its marks."""
    parts, last = list[str](), 0
    for start, end, new in changes:
        parts += text[last:start], new
        last = end
    new = "".join([*parts, text[last:]])
    if not marks:
        return new, []
    to = moves(changes)
    return new, [mark._replace(start=to(mark.start), end=to(mark.end)) for mark in marks]


def written(
    text: str, marks: Sequence[Marked], escape: Callable[[str], str], *, close_all: bool = False
) -> str:
    """A text with its marks as tags. What the file leaves open at its end stays so if it can."""
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
