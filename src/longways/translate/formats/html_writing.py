"""New passages as HTML: their text escaped, and the tags of the file where their marks are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from longways.translate.formats.html_line import Tag
from longways.translate.formats.html_places import Place
from longways.translate.formats.html_references import escape_area, escape_text, escape_value
from longways.translate.formats.keep import Range
from longways.translate.formats.protocol import Mark, Passage

Piece = Range | str
"""Something to write: characters of the file, from and up to, or new ones."""

_ONE_LINE = dict.fromkeys(map(ord, "\t\n\f\r"), " ")


@dataclass(frozen=True)
class Style:
    """How new passages are written."""

    xml: bool
    bilingual: bool
    source_language: str


def write_passage(place: Place, new: Passage, style: Style) -> Iterator[Piece]:
    """What to write in place of a passage of the file that is in no tag."""
    if place.kind == "block":
        yield from _with_tags(new, place.tags, style)
        if style.bilingual:
            yield _source(place.passage.text, style)
        return
    text = _both(place, new, style).translate(_ONE_LINE)
    if place.kind == "plain":
        yield from _with_tags(Passage(text, new.marks), place.tags, style)
    else:
        yield escape_area(text, xml=style.xml)


def write_value(place: Place, new: Passage, style: Style) -> str:
    """What to write in place of the value of an attribute; it gets quotes if it had none."""
    value = escape_value(_both(place, new, style), place.quote or '"', xml=style.xml)
    return value if place.quote else f'"{value}"'


def _both(place: Place, new: Passage, style: Style) -> str:
    """A new text, with the file's own beside it if both are wanted."""
    return f"{new.text} / {place.passage.text}" if style.bilingual else new.text


def _source(text: str, style: Style) -> str:
    """The file's own text, to stand below a translation."""
    line_break = "<br/>" if style.xml else "<br>"
    language = escape_value(style.source_language, '"', xml=style.xml)
    lines = line_break.join(escape_text(line, xml=style.xml) for line in text.split("\n"))
    return f'{line_break}<span lang="{language}" class="longways-source">{lines}</span>'


def _with_tags(new: Passage, tags: Sequence[Tag], style: Style) -> Iterator[Piece]:
    """Text with its tags. Those without a mark, should there be any, come last."""
    place, opened = 0, list[Mark]()
    for mark in _in_order(_all_marks(new, tags), tags):
        while opened and not _holds(opened[-1], mark, tags):
            yield from _up_to(new.text, place, opened[-1].end, style)
            place = max(place, opened[-1].end)
            yield from _closing(tags[opened.pop().tag])
        yield from _up_to(new.text, place, mark.start, style)
        place = max(place, mark.start)
        yield tags[mark.tag].start, tags[mark.tag].end
        end = max(mark.end, place)
        opened.append(Mark(place, min(end, opened[-1].end) if opened else end, mark.tag))
    for mark in reversed(opened):
        yield from _up_to(new.text, place, mark.end, style)
        place = max(place, mark.end)
        yield from _closing(tags[mark.tag])
    yield from _up_to(new.text, place, len(new.text), style)


def _up_to(text: str, start: int, end: int, style: Style) -> Iterator[Piece]:
    if end > start:
        yield escape_text(text[start:end], xml=style.xml)


def _closing(tag: Tag) -> Iterator[Piece]:
    if tag.closing:
        yield tag.closing


def _all_marks(new: Passage, tags: Sequence[Tag]) -> list[Mark]:
    """The marks of a passage, one for each tag of the file."""
    given = {mark.tag: mark for mark in new.marks if mark.tag < len(tags)}
    length = len(new.text)
    marks = [mark for mark in new.marks if given.get(mark.tag) is mark]
    return marks + [Mark(length, length, tag) for tag in range(len(tags)) if tag not in given]


def _holds(outer: Mark, mark: Mark, tags: Sequence[Tag]) -> bool:
    """Whether a mark is in another. At its edge, one without text is if it was in the file."""
    if tags[outer.tag].closing is None:
        return False
    if mark.start < mark.end or outer.start < mark.start < outer.end:
        return mark.start < outer.end
    return mark.start <= outer.end and tags[mark.tag].was_in(tags[outer.tag])


def _in_order(marks: Sequence[Mark], tags: Sequence[Tag]) -> Iterator[Mark]:
    """Marks as they begin, the outer before the inner, also those without text at an edge."""
    for _, group in groupby(sorted(marks, key=lambda m: m.start), lambda m: m.start):
        here = list(group)
        if len(here) == 1:
            yield here[0]
            continue
        filled = sorted((m for m in here if m.end > m.start), key=lambda m: -m.end)
        levels: dict[int, list[Mark]] = {}
        for mark in here:
            if mark.end == mark.start:
                levels.setdefault(_level(mark, filled, tags), []).append(mark)
        yield from levels.get(0, ())
        for level, mark in enumerate(filled, 1):
            yield mark
            yield from levels.get(level, ())


def _level(mark: Mark, filled: Sequence[Mark], tags: Sequence[Tag]) -> int:
    """How many of the marks that begin here it comes after: those it was in, and those around."""
    for level in range(len(filled), 0, -1):
        if tags[mark.tag].was_in(tags[filled[level - 1].tag]):
            return level
    return 0
