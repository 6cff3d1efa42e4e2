"""Speaker turns: the text of a cue, divided by speaker, with tags as marks.

A cue has one turn, or one for each of its speakers: lines that begin with a dash as the first one
does, or with a NAME: as the first one does, and further <v Speaker> tags. Two lines in different
scripts are turns too; a line that may be a name in a sentence only in a bilingual file. The dash
before a speech, and tags that say where on the screen a cue stands, are no part of its text: they
stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from longways.formats.subtitles.marks import Marked, Markup, changed
from longways.text.scripts import are_apart

LINE_END = re.compile(r"\r\n|\n|\r")
DASH = re.compile(
    r"[-\u2010\u2013\u2014\uff0d]"
    r"(?:[ \t\u00a0\u3000]+(?=\S)|(?=[^\s\d>\-\u2010-\u2015\uff0d\u2060]))"
)
"""Dash before the speech of a speaker; not a minus, a long dash, or an arrow with or without a word
joiner."""
_NAME = re.compile(
    r"[A-Z][A-Z0-9 .'-]{0,22}[A-Z0-9.]:(?=\s)"
    r"|[\u3400-\u9fff\u00b7]{1,6}(?<![说道问是])[:\uff1a]"
)
_AROUND_LINE_END = re.compile(r"(?<![ \t\u3000])[ \t\u3000]*(?:\r\n|\n|\r)\s*")


BILINGUAL_WORDS, OTHER_WORDS = 1, 3
"""Latin words that make a line a turn beside Chinese, in bilingual files and in others."""


def _slashed(tag: re.Match[str]) -> str:
    return f"{tag[0][0]}/{tag['opens']}{tag[0][-1]}"


class Dialect(NamedTuple):
    """Markup syntax of a subtitle format."""

    kind: str
    """Name with its article, as in "an SRT"."""
    times: str
    """Example of the times of a cue."""
    tags: re.Pattern[str]
    """Pattern of tags. The groups `opens` and `closes` hold the element's name; a standalone tag
    has neither."""
    place: re.Pattern[str]
    """Pattern of whitespace and screen position tags before a text."""
    escape: Callable[[str], str]
    """Escapes text so that none of it is read as markup."""
    unescape: Callable[[str], str]
    end_tag: Callable[[re.Match[str]], str] = _slashed
    """The end tag of a tag that the file does not close."""
    after: Callable[[str], int] = lambda core: len(core)
    """Where the tags at the end of a text begin, which stay there."""
    begins: re.Pattern[str] | None = None
    """Pattern of tags at the start of a line that is a text of its own."""
    nested: bool = True
    """Whether tags enclose text, instead of changing how all text after them looks."""


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """What one speaker says in one cue."""

    cue: int
    """The number of the cue, from 0."""
    start: int
    end: int
    """Range in the file."""
    text: str
    """Text with its line ends, without whitespace around them."""
    marks: tuple[Marked, ...]
    dash: str
    """The speaker's dash if it is inside a tag, and so after `start`."""
    is_after_dash: bool
    """Whether a dash without a space comes right before `start`."""
    begins: bool
    """Whether a dash or a name shows that a speech begins here."""
    voice: str
    """The <v Speaker> tag and the screen position tags."""
    lines: int


def turns_of(
    raw: str, offset: int, cue: int, dialect: Dialect, *, bilingual: bool = False
) -> list[SpeakerTurn]:
    """The turns of a cue whose text is found at `offset` of the file; none if nothing is said.

    In a bilingual file, a single word in another script is a turn too.
    """
    cuts = [0, *_further_turns(raw, dialect, bilingual), len(raw)]
    turns = (_turn(raw[start:end], offset + start, cue, dialect) for start, end in pairwise(cuts))
    return [turn for turn in turns if turn.text]


def is_bilingual(cues: Iterable[str], dialect: Dialect) -> bool:
    """Whether most cues of several lines have lines in different scripts."""
    starts = [(raw, [end.end() for end in LINE_END.finditer(raw.rstrip())]) for raw in cues]
    found = [any(_other_scripts(raw, at, dialect, 2)) for raw, at in starts if at]
    return sum(found) > len(found) / 2


def _further_turns(raw: str, dialect: Dialect, bilingual: bool) -> list[int]:
    """Where the second and further speakers of a cue begin."""
    starts = [match.end() for match in LINE_END.finditer(raw)]
    first = _shown_by(raw, 0, dialect) if starts else None
    lines = [p for p in starts if first and _shown_by(raw, p, dialect) is first]
    words = BILINGUAL_WORDS if bilingual else OTHER_WORDS
    lines += _other_scripts(raw, starts, dialect, words) if starts else ()
    if dialect.begins:
        lines += [place for place in starts if dialect.begins.match(raw, place)]
    voices = [m.start() for m in dialect.tags.finditer(raw) if m["opens"] == "v"][1:]
    if not lines and not voices:
        return []
    places = sorted({*lines, *voices})
    return list(_outside(places, raw, dialect)) if dialect.nested else places


def _other_scripts(raw: str, starts: list[int], dialect: Dialect, words: int) -> Iterator[int]:
    """Where a line begins that is in another script than the line before it."""
    lines = [dialect.tags.sub("", raw[a:b]) for a, b in pairwise([0, *starts, len(raw)])]
    for place, (line, following) in zip(starts, pairwise(lines), strict=True):
        if are_apart(line, following, words):
            yield place


def _shown_by(raw: str, start: int, dialect: Dialect) -> re.Pattern[str] | None:
    """The pattern, dash or name, by which a line begins a speech."""
    end = LINE_END.search(raw, start)
    line = dialect.tags.sub("", raw[start : end.start() if end else len(raw)]).lstrip()
    return next((way for way in (DASH, _NAME) if way.match(line)), None)


def _outside(places: Iterable[int], raw: str, dialect: Dialect) -> Iterator[int]:
    """The places that no element encloses. A <v Speaker> without an end lasts until the next."""
    elements = _elements(dialect.tags.finditer(raw), len(raw), dialect)
    enclosing = [e for e in elements if e.markup.closed or not e.markup.open.startswith("<v")]
    reach, number = 0, 0
    for place in places:
        while number < len(enclosing) and enclosing[number].start < place:
            reach = max(reach, enclosing[number].end)
            number += 1
        if reach <= place:
            yield place


def _elements(tags: Iterable[re.Match[str]], end: int, dialect: Dialect) -> list[Marked]:
    """The elements, tags included, in the order in which they begin."""
    found, waiting, names = list[Marked](), list[re.Match[str]](), Counter[str]()
    for tag in tags:
        if tag["opens"]:
            waiting.append(tag)
            names[_name(tag)] += 1
        elif tag["closes"] and names[_name(tag)]:
            while _name(waiting[-1]) != _name(tag):
                names[_name(waiting[-1])] -= 1
                found.append(_unclosed(waiting.pop(), tag.start(), dialect))
            begin = waiting.pop()
            names[_name(tag)] -= 1
            found.append(Marked(begin.start(), tag.end(), Markup(begin[0], tag[0], closed=True)))
        else:
            found.append(Marked(tag.start(), tag.end(), Markup(tag[0], "", closed=True)))
    found += [_unclosed(tag, end, dialect) for tag in waiting]
    return sorted(found, key=lambda element: element.start)


def _name(tag: re.Match[str]) -> str:
    """Name of the element of a tag, with its kind of bracket."""
    name: str = tag["opens"] or tag["closes"]
    return tag[0][0] + name.lower()


def _unclosed(tag: re.Match[str], end: int, dialect: Dialect) -> Marked:
    return Marked(tag.start(), end, Markup(tag[0], dialect.end_tag(tag), closed=False))


def _turn(raw: str, offset: int, cue: int, dialect: Dialect) -> SpeakerTurn:
    """Parse one speaker's text of a cue."""
    place = dialect.place.match(raw)
    start = place.end() if place else 0
    before = DASH.match(raw, start)
    start = before.end() if before else start
    core = raw[start:].rstrip()
    core = core[: dialect.after(core)].rstrip()
    text, marks = _text_and_marks(core, dialect)
    dash = None if before else DASH.match(text)
    if dash:
        text, marks = changed(text, marks, [(0, dash.end(), "")])
    voice = next((m.markup.open for m in marks if m.markup.open.startswith("<v")), "")
    return SpeakerTurn(
        cue=cue,
        start=offset + start,
        end=offset + start + len(core),
        text=text,
        marks=tuple(marks),
        dash=dash[0] if dash else "",
        is_after_dash=bool(before and not before[0][-1].isspace()),
        begins=bool(before or dash or _NAME.match(text)),
        voice=(place[0].strip() if place else "") + voice,
        lines=text.count("\n") + 1,
    )


def _text_and_marks(core: str, dialect: Dialect) -> tuple[str, list[Marked]]:
    """The text without tags, and the tags as marks."""
    tags = list(dialect.tags.finditer(core))
    parts, places, start, length = list[str](), dict[int, int](), 0, 0
    for tag in tags:
        parts.append(dialect.unescape(core[start : tag.start()]))
        length += len(parts[-1])
        places[tag.start()] = places[tag.end()] = length
        start = tag.end()
    parts.append(dialect.unescape(core[start:]))
    places[len(core)] = length + len(parts[-1])
    marks = [
        mark._replace(start=places[mark.start], end=places[mark.end])
        for mark in _elements(tags, len(core), dialect)
    ]
    return _tidy("".join(parts), marks)


def _tidy(text: str, marks: list[Marked]) -> tuple[str, list[Marked]]:
    """Strip whitespace at the ends of the text and of its lines."""
    length, end = len(text), len(text.rstrip())
    start = len(text) - len(text.lstrip()) if end else 0
    inner = (match.span() for match in _AROUND_LINE_END.finditer(text, start, end))
    changes = [(0, start, ""), *((a, b, "\n") for a, b in inner), (end, length, "")]
    return changed(text, marks, changes)
