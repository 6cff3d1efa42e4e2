"""Rows: links, labels and kept parts side by side, which are no sentence.

    [Home](a) · [Tutorial](b) | [Forum](c)

Each item of a row is translated by itself, and the separators stay as they are. A hard line break
is a separator; so is a soft one, where every line has marks and kept parts only, and a space
between two links, in languages that put no spaces between words. A line that begins and ends with a
bar is a row of a table, whose cells may be sentences: `| name | 名称。 |`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from longways.formats.base import Mark, Passage
from longways.text.sentences.joiner import has_spaces
from longways.text.sentences.splitter import LINE_END, Segment, split_text
from longways.translation.terminology.glossary import Span

SIGNS = "·•∙‧・|｜→›»"  # noqa: RUF001 - full-width signs
"""Signs between the items of a row."""
_SIGN = re.compile(rf"[{SIGNS}][{SIGNS}\s]*|(?<=\s)[/–—-](?=\s)\s*")  # noqa: RUF001
_CELLS = ("|", "｜")  # noqa: RUF001
"""Signs that separate items without spaces too."""
_BARS = re.compile(r"[|｜\s]+")  # noqa: RUF001
_TABLE_ROW = re.compile(r"\s*[|｜].*[|｜]\s*", re.DOTALL)  # noqa: RUF001
_SENTENCE = re.compile(r"[。！？；，,;]")  # noqa: RUF001 - punctuation of sentences
_VISIBLE = re.compile(r"\S")
_LONGEST_LABEL = 20
"""Characters of an item in a row without links."""
_LEAST_LABELS = 3
"""Items of a row without links."""


def row_segments(flow: Passage, language: str) -> Iterator[Segment]:
    """The sentences of a passage; in a row, of each of its items."""
    for start, end in _hard_lines(flow):
        yield from _line_segments(_cut(flow, start, end), language)


def _hard_lines(flow: Passage) -> Iterator[Span]:
    """The ranges between hard line breaks, each with the whitespace after it."""
    start = 0
    for place in (*flow.breaks, len(flow.text)):
        following = _VISIBLE.search(flow.text, place)
        end = following.start() if following else len(flow.text)
        if start < end:
            yield start, end
            start = end


def _cut(flow: Passage, start: int, end: int) -> Passage:
    """A part of a passage with what it has of the marks and kept parts."""
    if (start, end) == (0, len(flow.text)):
        return flow
    marks = tuple(
        Mark(max(mark.start - start, 0), min(mark.end, end) - start, mark.tag)
        for mark in flow.marks
        if start <= mark.end and mark.start <= end
    )
    inside = (span for span in flow.keep if span[0] < end and start < span[1])
    keep = tuple((max(a - start, 0), min(b, end) - start) for a, b in inside)
    return Passage(flow.text[start:end], marks, keep)


def _line_segments(flow: Passage, language: str) -> Iterator[Segment]:
    """The sentences of a line; in a row, of each of its items."""
    place = 0
    found = separators(flow) or ([] if has_spaces(language) else spaces_between_marks(flow))
    for start, end in (*found, (len(flow.text),) * 2):
        empty = [Segment("", "")] if start < end else []
        parts = split_text(flow.text[place:start], language) or empty
        yield from parts[:-1]
        for last in parts[-1:]:
            yield last._replace(after=last.after + flow.text[start:end])
        place = end


def separators(flow: Passage) -> list[Span]:
    """The separators of a row with the spaces around them; empty for other passages."""
    signs = list(_SIGN.finditer(flow.text)) if not LINE_END.search(flow.text) else []
    if not signs:
        return []
    outside = _outside(flow)
    signs = [sign for sign in signs if outside[sign.start()]]
    if _TABLE_ROW.fullmatch(flow.text):
        return [_wide(flow.text, *sign.span()) for sign in signs if _BARS.fullmatch(sign[0])]
    found = [_wide(flow.text, *sign.span()) for sign in signs]
    items = [flow.text[start:end] for start, end in _between(found, len(flow.text))]
    return found if found and _is_row(flow, found, items) else []


def spaces_between_marks(flow: Passage) -> list[Span]:
    """The spaces between marked texts; empty if there is any other text.

    At least two of the texts are to be translated: a word before code is no row.
    """
    if LINE_END.search(flow.text):
        return []
    outside = _outside(replace(flow, keep=()))
    free = [place for place in range(len(flow.text)) if outside[place]]
    if not free or not all(flow.text[place].isspace() for place in free):
        return []
    found = [span for span in _runs(free) if span[0] > 0 and span[1] < len(flow.text)]
    items = _between(found, len(flow.text))
    texts = sum(not any(a <= start and end <= b for a, b in flow.keep) for start, end in items)
    return found if texts > 1 else []


def _runs(places: Sequence[int]) -> Iterator[Span]:
    """The ranges of adjacent places."""
    start = places[0]
    for place, following in pairwise((*places, len(places) + places[-1] + 1)):
        if following != place + 1:
            yield start, place + 1
            start = following


def _is_row(flow: Passage, found: Sequence[Span], items: Sequence[str]) -> bool:
    """Whether no item is a sentence, and one is a link or all are short."""
    if any(_SENTENCE.search(item) for item in items) or not all(map(str.strip, items)):
        return False
    spans = {(mark.start, mark.end) for mark in flow.marks}
    if any(span in spans for span in _between(found, len(flow.text))):
        return True
    apart = all(
        (flow.text[start].isspace() and flow.text[end - 1].isspace())
        or flow.text[start:end].strip() in _CELLS
        for start, end in found
    )
    return apart and len(items) >= _LEAST_LABELS and max(map(len, items)) <= _LONGEST_LABEL


def _outside(flow: Passage) -> bytearray:
    """1 for each character that is in no mark, except marks of the whole passage, and not kept.

    Space at the ends of a mark is outside of it.
    """
    free, whole = bytearray(b"\1" * (len(flow.text) + 1)), (0, len(flow.text))
    inner = [(mark.start, mark.end) for mark in flow.marks if (mark.start, mark.end) != whole]
    for start, end in (*inner, *flow.keep):
        inside = flow.text[start:end]
        start += len(inside) - len(inside.lstrip())
        end = max(start, end - len(inside) + len(inside.rstrip()))
        free[start:end] = bytes(end - start)
    return free


def _wide(text: str, start: int, end: int) -> Span:
    """A separator with the spaces around it."""
    while start and text[start - 1].isspace():
        start -= 1
    while end < len(text) and text[end].isspace():
        end += 1
    return start, end


def _between(found: Sequence[Span], length: int) -> Iterator[Span]:
    """The ranges between separators."""
    place = 0
    for start, end in (*found, (length, length)):
        yield place, start
        place = end


def has_lines_of_marks(passage: Passage) -> bool:
    """Whether a passage has several lines, each of marks and kept parts only."""
    lines = passage.text.split("\n")
    ends = set(accumulate(len(line) + 1 for line in lines))
    if len(lines) == 1 or any(m.start == m.end and m.end in ends for m in passage.marks):
        return False  # an empty mark at a line end may be the line break itself
    covered = bytearray(len(passage.text))
    for start, end in (*((mark.start, mark.end) for mark in passage.marks), *passage.keep):
        if passage.text.find("\n", start, end) < 0:
            covered[start:end] = b"\1" * (end - start)
    bare = (c for c, is_covered in zip(passage.text, covered, strict=True) if not is_covered)
    return all(map(str.strip, lines)) and not any(map(str.isalnum, bare))
