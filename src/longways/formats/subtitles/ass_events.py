r"""The events of an ASS or SSA script: what is shown, when, in which style, and where it stands.

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    Dialogue: 0,0:00:01.00,0:00:03.50,Default,,0,0,0,,{\an8}今天\N我们要讲的

Other sections stay: styles, and fonts and graphics, whose lines may look like anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longways.formats.subtitles.timing import Line, Warnings

_SECTION = re.compile(r"\[[A-Z][A-Za-z0-9+ ]*\]\s*")
_TIME = re.compile(r"\s*(\d{1,4}):(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?\s*")
_FIELDS = [
    "layer",
    "start",
    "end",
    "style",
    "name",
    "marginl",
    "marginr",
    "marginv",
    "effect",
    "text",
]
"""The fields of an event if the file does not name them."""
_CODE = ("fx", "code", "template")
"""Effects of lines that a program has written, syllable by syllable, or that are for one."""


class Event(NamedTuple):
    """A line that is shown."""

    line: int
    """Its number, from 1."""
    start: int
    end: int
    """Both times are in milliseconds."""
    voice: str
    """Its style and the name of its speaker."""
    text: tuple[int, int]
    """Range of its text in the file."""


def events(lines: Sequence[Line], warnings: Warnings) -> Iterator[Event]:
    """The events of a script, in the order of the file; comments are none."""
    section, fields, last = "", _FIELDS, 0
    for line in lines:
        if _SECTION.fullmatch(line.text.lstrip("\ufeff")):
            section = line.text.strip(" \t\ufeff[]").lower()
        elif section == "events" and line.text.startswith("Format:"):
            fields = _named(line, warnings)
        elif section == "events" and line.text.startswith("Dialogue:"):
            event = _event(line, fields, last, warnings)
            if event:
                last = event.end
                yield event


def _named(line: Line, warnings: Warnings) -> list[str]:
    """The names of the fields; the text is the last one, since it may have commas."""
    names = [name.strip().lower() for name in line.text.partition(":")[2].split(",")]
    names = ["name" if name == "actor" else name for name in names]
    if names[-1] == "text" and {"start", "end"} <= set(names):
        return names
    warnings.add(
        "format", line.number, "this line does not name Start, End and Text, the last field; "
        "the usual fields are assumed."
    )  # fmt: skip
    return _FIELDS


def _event(line: Line, fields: Sequence[str], last: int, warnings: Warnings) -> Event | None:
    values = line.text.partition(":")[2].split(",", len(fields) - 1)
    if len(values) < len(fields):
        warnings.add("fields", line.number, "an event has too few fields; it stays as it is.")
        return None
    named = dict(zip(fields, values, strict=True))
    if named.get("effect", "").strip().lower().startswith(_CODE):
        what = "the effect of this line is written by a program; it stays as it is."
        warnings.add("effect", line.number, what)
        return None
    times = [_milliseconds(named[name]) for name in ("start", "end")]
    if None in times:
        warnings.add("times", line.number, "the times cannot be read; the event is translated.")
    start, end = (last if time is None else time for time in times)
    voice = f"{named.get('style', '').strip()},{named.get('name', '').strip()}"
    text = line.end - len(named["text"])
    return Event(line.number, start, max(start, end), voice, (text, line.end))


def _milliseconds(value: str) -> int | None:
    found = _TIME.fullmatch(value)
    if not found:
        return None
    hours, minutes, seconds = map(int, found.groups()[:3])
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int((found[4] or "0").ljust(3, "0"))
