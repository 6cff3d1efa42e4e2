"""Running heads: headers, footers and page numbers, known by their repetition on other pages.

A line at the upper or lower edge of a page is one if pages nearby have the same line, digits aside,
at the same height. A line that is only a page number needs one other page whose number fits.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from longways.formats.pdf.layout.lines import Line, main_size, read_lines
from longways.formats.pdf.pages.page import Page
from longways.formats.pdf.pages.words import Word

_NEARBY = 8
"""The number of pages before and after a page that are compared with it."""
_EDGE_SHARE = 0.13
"""The height of an edge, as a share of the page."""
_MAX_LINES = 3
"""An edge has at most this many lines that can be running heads."""
_LARGER = 1.1
"""Text that is larger than most of a page, by this factor, is a heading."""
_GAP = 1.7
"""The distance of a running head from the text, in units of the size."""
_SHIFT = 6.0
"""How far the heights of a line on two pages differ, in points."""
_MIN_OTHERS = 2
"""Other pages nearby that have the same running head."""
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[\s\-\u2013\u2014\u00b7.|~\u30fb\[\]()<>«»]*"
    r"(?:(?:page|seite|p\.?|pg\.?|\u7b2c)\s*)?(?:#|[ivxlc]{1,6})"
    r"(?:\s*[\u9875\u9801])?(?:\s*(?:of|/|\u5171|\uff0f|von|[|,\uff0c])\s*(?:\u5171\s*)?#\s*[\u9875\u9801]?)?"
    r"[\s\-\u2013\u2014\u00b7.|~\u30fb\[\]()<>«»]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _EdgeLine:
    """A line at an edge of a page."""

    text: str
    """Its text, with `#` for numbers."""
    numbers: tuple[int, ...]
    height: float
    """Its distance from the edge, negative at the lower one."""
    places: frozenset[int]
    """The words of it."""
    is_artifact: bool
    """Whether the author marked it as no part of the text."""


def without_running_heads(pages: Iterable[Page]) -> Iterator[tuple[Page, int]]:
    """The pages without their running heads, and how many each page had.

    At most `2 * _NEARBY + 1` pages are held at a time.
    """
    held = deque[tuple[Page, list[_EdgeLine]]]()
    coming, place = iter(pages), 0
    while True:
        while len(held) <= place + _NEARBY and (page := next(coming, None)) is not None:
            held.append((page, _edge_lines(page)))
        if place >= len(held):
            return
        yield _cleaned(held, place)
        place += 1
        if place > _NEARBY:
            held.popleft()
            place -= 1


def _cleaned(held: Sequence[tuple[Page, list[_EdgeLine]]], place: int) -> tuple[Page, int]:
    page, lines = held[place]
    others = [(other, found) for other, found in held if other.number != page.number]
    heads = [line for line in lines if line.is_artifact or _repeats(line, page.number, others)]
    gone = frozenset(place for line in heads for place in line.places)
    if len(gone) == len(page.words):
        return page, 0
    kept = [group for group in page.turned if not _is_on(group, [other for other, _ in others])]
    if not gone and len(kept) == len(page.turned):
        return page, 0
    words = [word for word in page.words if word.place not in gone]
    return page.having(words, kept), len(heads) + len(page.turned) - len(kept)


def _is_on(group: Sequence[Word], others: Sequence[Page]) -> bool:
    """Whether turned text, such as a watermark, is also on other pages."""
    text = _turned_text(group)
    count = sum(any(_turned_text(found) == text for found in page.turned) for page in others)
    return count >= _MIN_OTHERS


def _turned_text(group: Sequence[Word]) -> str:
    return _NUMBER.sub("#", " ".join(word.text for word in group))


def _repeats(
    line: _EdgeLine, number: int, others: Sequence[tuple[Page, Sequence[_EdgeLine]]]
) -> bool:
    """Whether a line is also on other pages."""
    same = [
        (page.number, other)
        for page, lines in others
        for other in lines
        if other.text == line.text and abs(other.height - line.height) < _SHIFT
    ]
    if _PAGE_NUMBER.fullmatch(line.text):
        return any(not line.numbers or _fits(line, number, other, page) for page, other in same)
    if len({page for page, _ in same}) >= _MIN_OTHERS:
        return True
    fits = {
        page.number
        for page, lines in others
        for other in lines
        if abs(other.height - line.height) < _SHIFT and _fits(line, number, other, page.number)
    }
    return len(fits) >= _MIN_OTHERS


def _fits(line: _EdgeLine, number: int, other: _EdgeLine, page: int) -> bool:
    """Whether the first or last numbers of lines on two pages differ as the pages do."""
    wanted = {value + page - number for value in line.numbers[:1] + line.numbers[-1:]}
    return not wanted.isdisjoint(other.numbers[:1] + other.numbers[-1:])


def _edge_lines(page: Page) -> list[_EdgeLine]:
    """The outermost lines at the upper and the lower edge of a page."""
    if not page.words:
        return []
    edge = _EDGE_SHARE * (page.bottom - page.top)
    largest = _LARGER * main_size(page.words)
    upper = [word for word in page.words if word.base - page.top < 2 * edge]
    lower = [word for word in page.words if page.bottom - word.base < 2 * edge]
    found = [
        *_edge(read_lines(upper), page.top, edge),
        *_edge(read_lines(lower)[::-1], page.bottom, edge),
    ]
    return [_edge_line(line, border) for line, border in found if line.size <= largest]


def _edge(lines: Sequence[Line], border: float, edge: float) -> Iterator[tuple[Line, float]]:
    """The lines near the border that stand apart from the text of the page."""
    apart = [_is_apart(*pair) for pair in pairwise(lines)]
    outer = apart.index(True) + 1 if True in apart else len(lines)
    for line in lines[:outer] if outer <= _MAX_LINES else ():
        if abs(line.base - border) <= edge:
            yield line, border


def _edge_line(line: Line, border: float) -> _EdgeLine:
    text = " ".join(line.text.split())
    numbers = tuple(int(number) for number in _NUMBER.findall(text)[:4] if len(number) < 10)
    places = frozenset(word.place for word in line.words)
    aside = all(word.is_artifact for word in line.words)
    return _EdgeLine(_NUMBER.sub("#", text), numbers, line.base - border, places, aside)


def _is_apart(one: Line, two: Line) -> bool:
    """Whether two lines are not lines of one paragraph."""
    size = max(one.size, two.size)
    return abs(one.base - two.base) > _GAP * size or abs(one.size - two.size) > 0.1 * size
