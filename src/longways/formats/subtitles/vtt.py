"""WebVTT subtitles, .vtt: a header, then cues and blocks of notes, styles and regions.

    WEBVTT

    intro
    00:01.000 --> 00:03.500 line:0
    <v 王老师>今天我们要讲的<c.term>注意力</c></v>

The W3C standard is followed, and common defects are fixed: a missing header, a missing blank line,
commas in times. Karaoke times, as <00:02.000>, are standalone tags and stay in their cue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.entities import html5

from longways.formats.subtitles.cues import Subtitles, read_subtitles
from longways.formats.subtitles.sentences import Cue
from longways.formats.subtitles.timing import Line, Times, Warnings, times_of
from longways.formats.subtitles.turns import Dialect
from longways.formats.text_file import read_text

_TAGS = re.compile(
    r"<(?P<opens>c|i|b|u|ruby|rt|v|lang)(?:[.\s][^<>]*)?>"
    r"|</(?P<closes>c|i|b|u|ruby|rt|v|lang)\s*>"
    r"|</?[A-Za-z0-9.][^<>]*>|</?>"
)
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]*));")
_ID = re.compile(r"\d{1,9}")
_BLOCK = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t]|$)")


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unescape(text: str) -> str:
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    decimal, hexadecimal, name = entity.groups()
    if name:
        return html5.get(f"{name};", entity[0])
    code = int(decimal) if decimal else int(hexadecimal, 16)
    allowed = 0 < code < 0xD800 or 0xDFFF < code < 0x110000
    return chr(code) if allowed else entity[0]


DIALECT = Dialect(
    "a WebVTT", "00:01.000 --> 00:03.500", _TAGS, re.compile(r"\s*"), _escape, _unescape
)


class WebVtt:
    """Subtitles as browsers read them from .vtt files."""

    name = "vtt"
    suffixes = (".vtt",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> Subtitles:
        """Parse subtitles; see `Format`."""
        file, warnings = read_text(data, language, encoding), Warnings()
        return read_subtitles(file, _cues, DIALECT, language, warnings)


def _cues(lines: Sequence[Line], warnings: Warnings) -> Iterator[Cue]:
    """The cues of a file."""
    at, end = _after_header(lines, warnings), 0
    while at < len(lines):
        if not lines[at].text:
            at += 1
            continue
        timed = next(
            (i for i in range(at, min(at + 2, len(lines))) if "-->" in lines[i].text), None
        )
        if timed is None:
            at = _after_block(lines, at, warnings)
            continue
        times = _times(lines[timed], end, warnings)
        at, is_cut_off = _after_text(lines, timed + 1, warnings)
        body = lines[timed + 1 : at]
        place = lines[timed].after
        span = (body[0].start, body[-1].end) if body else (place, place)
        yield Cue(lines[timed].number, times.start, times.end, span, is_cut_off)
        end = times.end


def _after_header(lines: Sequence[Line], warnings: Warnings) -> int:
    """The first line after the header."""
    if not re.match(r"\ufeff?WEBVTT(?:[ \t]|$)", lines[0].text):
        warnings.add("header", 1, "the header WEBVTT is missing; the file is read all the same.")
        return 0
    at = 1
    while at < len(lines) and lines[at].text and "-->" not in lines[at].text:
        at += 1
    return at


def _after_block(lines: Sequence[Line], at: int, warnings: Warnings) -> int:
    """The first line after a block that is no cue."""
    if not _BLOCK.match(lines[at].text) and lines[at].text.strip():
        warnings.add("outside", lines[at].number, "this text is in no cue; it is left as it is.")
    while at < len(lines) and lines[at].text and "-->" not in lines[at].text:
        at += 1
    return at


def _times(line: Line, last: int, warnings: Warnings) -> Times:
    """The times of a cue; unreadable times become the end of the previous cue."""
    times = times_of(line.text)
    if not times:
        warnings.add("times", line.number, "the times cannot be read; the cue is kept.")
        return Times(last, last, "..", has_hours=True)
    if times.marks != "..":
        what = "the thousandths of a time do not come after a full stop; they are read as such."
        warnings.add("comma", line.number, what)
    return times


def _after_text(lines: Sequence[Line], at: int, warnings: Warnings) -> tuple[int, bool]:
    """The first line after the text of a cue, and whether a blank line is missing there."""
    first = at
    while at < len(lines) and lines[at].text:
        if times_of(lines[at].text):
            if at > first and _ID.fullmatch(lines[at - 1].text):
                at -= 1
            warnings.add(
                "blank", lines[at].number, "there is no blank line before a cue; one is assumed."
            )
            return at, at > first
        at += 1
    return at, False
