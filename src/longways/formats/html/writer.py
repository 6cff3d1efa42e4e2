"""Writing new passages as HTML: escaped text, with the tags of the file at the marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from longways.formats.base import Mark, Passage
from longways.formats.html.line import Tag
from longways.formats.html.places import Place
from longways.formats.html.references import escape_area, escape_text, escape_value
from longways.formats.placeholders import Range
from longways.text.direction import direction

Fragment = Range | str
"""A range of the file, or new text."""

_ONE_LINE = dict.fromkeys(map(ord, "\t\n\f\r"), " ")


@dataclass(frozen=True)
class Style:
    """How new passages are written."""

    xml: bool
    bilingual: bool
    source_language: str
    target_language: str = ""


def write_passage(place: Place, new: Passage, style: Style) -> Iterator[Fragment]:
    """Fragments that replace a passage outside of attributes."""
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
    """The new value of an attribute; missing quotes are added."""
    value = escape_value(_both(place, new, style), place.quote or '"', xml=style.xml)
    return value if place.quote else f'"{value}"'


def _both(place: Place, new: Passage, style: Style) -> str:
    """A new text, with the original beside it if bilingual."""
    return f"{new.text} / {place.passage.text}" if style.bilingual else new.text


def _source(text: str, style: Style) -> str:
    """The original text as HTML, to follow a translation."""
    line_break = "<br/>" if style.xml else "<br>"
    language = escape_value(style.source_language, '"', xml=style.xml)
    lines = line_break.join(escape_text(line, xml=style.xml) for line in text.split("\n"))
    own = direction(style.source_language)
    turned = f' dir="{own}"' if own != direction(style.target_language) else ""
    return f'{line_break}<span lang="{language}"{turned} class="longways-source">{lines}</span>'


def _with_tags(new: Passage, tags: Sequence[Tag], style: Style) -> Iterator[Fragment]:
    """Text with its tags. Tags without a mark are written last."""
    place, opened = 0, list[Mark]()
    for mark in _in_order(_all_marks(new, tags), tags):
        while opened and not _holds(opened[-1], mark, tags):
            yield from _up_to(new.text, place, opened[-1].end, style)
            place = max(place, opened[-1].end)
            yield from _closing(tags[opened.pop().tag])
        yield from _up_to(new.text, place, mark.start, style)
        place = max(place, mark.start)
        tag = tags[mark.tag]
        before, after = new.text[place - 1 : place], new.text[place : place + 1]
        alone = tag.closing is None
        if alone and tag.spaces[0] and before and not before.isspace():
            yield " "
        yield tag.start, tag.end
        if alone and tag.spaces[1] and after and not after.isspace() and after not in ".,;:!?)":
            yield " "
        end = max(mark.end, place)
        opened.append(Mark(place, min(end, opened[-1].end) if opened else end, mark.tag))
    for mark in reversed(opened):
        yield from _up_to(new.text, place, mark.end, style)
        place = max(place, mark.end)
        yield from _closing(tags[mark.tag])
    yield from _up_to(new.text, place, len(new.text), style)


def _up_to(text: str, start: int, end: int, style: Style) -> Iterator[Fragment]:
    if end > start:
        yield escape_text(text[start:end], xml=style.xml)


def _closing(tag: Tag) -> Iterator[Fragment]:
    if tag.closing:
        yield tag.closing


def _all_marks(new: Passage, tags: Sequence[Tag]) -> list[Mark]:
    """The marks of a passage, one for each tag of the file."""
    given = {mark.tag: mark for mark in new.marks if mark.tag < len(tags)}
    length = len(new.text)
    marks = [mark for mark in new.marks if given.get(mark.tag) is mark]
    return marks + [Mark(length, length, tag) for tag in range(len(tags)) if tag not in given]


def _holds(outer: Mark, mark: Mark, tags: Sequence[Tag]) -> bool:
    """Whether `outer` contains a mark. An empty mark at its edge stays where it was."""
    if tags[outer.tag].closing is None:
        return False
    if mark.start < mark.end or outer.start < mark.start < outer.end:
        return mark.start < outer.end
    return mark.start <= outer.end and tags[mark.tag].was_in(tags[outer.tag])


def _in_order(marks: Sequence[Mark], tags: Sequence[Tag]) -> Iterator[Mark]:
    """Marks in the order of their start, outer before inner, with empty marks in place."""
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
    """Number of marks starting here that an empty mark must follow."""
    for level in range(len(filled), 0, -1):
        if tags[mark.tag].was_in(tags[filled[level - 1].tag]):
            return level
    return 0
