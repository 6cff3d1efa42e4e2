r"""SubRip subtitles, .srt: numbers, times and text, a blank line after each.

    1
    00:00:01,000 --> 00:00:03,500
    {\an8}<i>今天我们要讲的</i>

There is no standard. Tags are <i>, <b>, <u>, <s> and <font ...>, the same in braces, and {\...}.
A blank line within a text is part of it. Text cannot be escaped; where a translation would
look like a tag or a time, an invisible word joiner keeps it from being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longways.formats.subtitles.cues import Subtitles, read_subtitles
from longways.formats.subtitles.sentences import Cue
from longways.formats.subtitles.timing import Line, Times, Warnings, times_of
from longways.formats.subtitles.turns import Dialect
from longways.formats.text_file import TextFile, read_text

_NAMES = "[ibus]|font|em|strong"
_TAGS = re.compile(
    rf"[<{{](?P<opens>{_NAMES})(?:\s[^<>{{}}\r\n]*)?[>}}]|[<{{]/(?P<closes>{_NAMES})\s*[>}}]"
    r"|\{\\[^{}\r\n]*\}",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\ufeff?[ \t]*(\d{1,9})[ \t]*")
_ARROW = re.compile(r"(?<=--)>|(?<=-)>(?=[ \t]*\d)")
_JOINER = "\u2060"


def _escape(text: str) -> str:
    guarded = _TAGS.sub(lambda tag: tag[0][0] + _JOINER + tag[0][1:], text)
    return _ARROW.sub(f"{_JOINER}>", guarded)


def _unescape(text: str) -> str:
    return re.sub(rf"(?<=[<{{]){_JOINER}|(?<=-){_JOINER}(?=>)", "", text)


_PLACE = re.compile(r"\s*(?:\{\\(?:an?\d|pos|move)[^{}\r\n]*\}\s*)*")

DIALECT = Dialect("an SRT", "00:00:01,000 --> 00:00:03,500", _TAGS, _PLACE, _escape, _unescape)


class Srt:
    """Subtitles as players read them from .srt files."""

    name = "srt"
    suffixes = (".srt",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> Subtitles:
        """Parse subtitles; see `Format`."""
        file, warnings = read_text(data, language, encoding), Warnings()
        _warn_of_mark(file, warnings)
        return read_subtitles(file, _cues, DIALECT, language, warnings)


def _cues(lines: Sequence[Line], warnings: Warnings) -> Iterator[Cue]:
    """The cues of a file."""
    heads = list(_heads(lines, warnings))
    for line in lines[: heads[0][0] if heads else 0]:
        if line.text.strip(" \t\ufeff"):
            warnings.add("outside", line.number, "this text is in no cue; it is left as it is.")
    ends = [*(head for head, _, _ in heads[1:]), len(lines)]
    for (_, at, times), end in zip(heads, ends, strict=False):
        last = end
        while last > at + 1 and not lines[last - 1].text.strip():
            last -= 1
        body = lines[at + 1 : last]
        place = lines[at].after
        span = (body[0].start, body[-1].end) if body else (place, place)
        is_cut_off = bool(body) and last == end < len(lines)
        if is_cut_off:
            number = lines[last].number
            warnings.add("blank", number, "there is no blank line before a cue; one is assumed.")
        inner = next((line.number for line in body if not line.text.strip()), None)
        if inner:
            warnings.add("inner", inner, "a blank line within a cue is taken as part of its text.")
        yield Cue(lines[at].number, times.start, times.end, span, is_cut_off)


def _heads(lines: Sequence[Line], warnings: Warnings) -> Iterator[tuple[int, int, Times]]:
    """For each cue: index of its first line, index of the line with its times, and the times."""
    last, number, end = -1, None, 0
    for at, line in enumerate(lines):
        numbered = at - 1 > last and bool(_NUMBER.fullmatch(lines[at - 1].text))
        times = times_of(line.text)
        if not times and not (numbered and "-->" in line.text):
            continue
        if not times:
            warnings.add("times", line.number, "the times cannot be read; the cue is kept.")
            times = Times(end, end, ",,", has_hours=True)
        head = at - 1 if numbered else _number_above(lines, at, last, number)
        number = _checked_number(lines[head], number, warnings)
        _check_times(line, times, warnings)
        yield head, at, times
        last, end = at, times.end


def _number_above(lines: Sequence[Line], at: int, last: int, number: int | None) -> int:
    """The line with the number of a cue if blank lines are between it and the times."""
    head = at - 1
    while head > last and not lines[head].text.strip():
        head -= 1
    match = _NUMBER.fullmatch(lines[head].text) if last < head < at - 1 else None
    expected = match and int(match[1]) == (1 if number is None else number + 1)
    return head if expected and (head == 0 or not lines[head - 1].text.strip()) else at


def _checked_number(line: Line, last: int | None, warnings: Warnings) -> int:
    """The number of a cue, or the one it should have."""
    match, expected = _NUMBER.fullmatch(line.text), 1 if last is None else last + 1
    if not match:
        warnings.add("unnumbered", line.number, "a cue has no number; it is read all the same.")
        return expected
    found = int(match[1])
    if found != expected and (last is not None or found != 0):
        what = f"a cue has the number {found} where {expected} is expected; it is kept."
        warnings.add("number", line.number, what)
    return found


def _check_times(line: Line, times: Times, warnings: Warnings) -> None:
    if times.marks != ",,":
        what = "the thousandths of a time do not come after a comma; they are read all the same."
        warnings.add("comma", line.number, what)
    if not times.has_hours:
        warnings.add(
            "hours", line.number, "a time has no hours; it is read as minutes and seconds."
        )


def _warn_of_mark(file: TextFile, warnings: Warnings) -> None:
    if file.mark and file.encoding == "utf-8":
        warnings.add("mark", 1, "the file begins with a byte order mark; it is kept.")
