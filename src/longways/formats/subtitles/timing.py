"""Lines and cue times of a subtitle file, and warnings about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from longways.formats.subtitles.sentences import Cue

_TIME = r"(?:(\d{1,4}):)?(\d{1,3}):(\d{1,2})(?:([.,:])(\d{1,3}))?"
TIMES = re.compile(rf"\ufeff?[ \t]*{_TIME}[ \t]*--?>[ \t]*{_TIME}(?![\d:.,])(.*)")
"""A line with the times of a cue, and its settings."""
_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|$)")


class Line(NamedTuple):
    """A line of a file."""

    number: int
    """Line number, from 1."""
    start: int
    end: int
    """End offset without the line end."""
    text: str
    after: int
    """Start offset of the next line."""


class Times(NamedTuple):
    """When a cue is shown, in milliseconds."""

    start: int
    end: int
    marks: str
    """The separators before the milliseconds of both times."""
    has_hours: bool


@dataclass
class Warnings:
    """Warnings about a file, merged by kind: the first place and the number of places."""

    found: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, kind: str, line: int, what: str) -> None:
        """Add a warning; `what` is a sentence."""
        self.found.setdefault(kind, []).append((line, what))

    def sentences(self) -> list[str]:
        """The warnings in the order of their lines."""
        firsts = sorted((places[0], len(places)) for places in self.found.values())
        more = {number: f" There are {number - 1:,} more such places." for _, number in firsts}
        more |= {1: "", 2: " There is one more such place."}
        return [f"Line {line}: {what}{more[number]}" for (line, what), number in firsts]


def lines_of(text: str) -> list[Line]:
    """All lines; the last has no line end and may be empty."""
    return list(each_line(text))


def each_line(text: str) -> Iterator[Line]:
    """The lines one by one, without the memory of all."""
    for number, match in enumerate(_LINE.finditer(text), 1):
        yield Line(number, match.start(), match.end(1), match[1], match.end())
        if not match[2]:
            return


def times_of(line: str) -> Times | None:
    """The times of a cue, if a line has any."""
    match = TIMES.match(line) if ">" in line else None
    if not match:
        return None
    first, second = match.groups()[:5], match.groups()[5:10]
    marks = (first[3] or "") + (second[3] or "")
    return Times(_milliseconds(*first), _milliseconds(*second), marks, bool(first[0] and second[0]))


def _milliseconds(hours: str, minutes: str, seconds: str, _: str, thousandths: str) -> int:
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 1000 + int((thousandths or "0").ljust(3, "0"))


def warn_of_times(cues: Sequence[Cue], warnings: Warnings) -> None:
    """Warn of cues that end before they begin, or begin before the last one has ended."""
    last = None
    for cue in cues:
        if cue.end < cue.start:
            warnings.add("backward", cue.line, "a cue ends before it begins; its times are kept.")
        if last and cue.start < last.start:
            warnings.add("order", cue.line, "a cue begins before the last one; its place is kept.")
        elif last and cue.start < last.end:
            warnings.add("overlap", cue.line, "a cue begins before the last one ends; it is kept.")
        last = cue


def warn_of_line_ends(text: str, lines: Sequence[Line], warnings: Warnings) -> None:
    """Warn of mixed line ends."""
    first = text[lines[0].end : lines[0].after]
    for line in lines[:-1]:
        if text[line.end : line.after] != first:
            warnings.add("line ends", line.number, "a line ends unlike the first; it is kept so.")
            return
