r"""Advanced SubStation Alpha and SubStation Alpha, .ass and .ssa: the texts of the events.

    Dialogue: 0,0:00:01.00,0:00:03.50,Default,,0,0,0,,{\an8}今天{\i1}我们{\i0}\N要讲的

Tags in braces and drawings are marks; at both ends of a text they stay in their places. `\N` and
`\n` are line ends, `\h` is a space that does not break. The times of the syllables of a song are
kept in their order, and divide the translation by their durations. Events are read in the order of
their times, style by style; their lines stay where they are. Equal texts at the same time, such as
the layers of a sign, or the frames of one that moves, are translated once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.resources.readable import has_letters
from longways.formats.subtitles.ass_events import Event, events
from longways.formats.subtitles.cues import Sentence, Subtitles
from longways.formats.subtitles.divide import divide
from longways.formats.subtitles.marks import Change
from longways.formats.subtitles.sentences import Cue
from longways.formats.subtitles.timing import Warnings, lines_of
from longways.formats.subtitles.turns import Dialect
from longways.formats.text_file import TextFile, read_text

MAX_COPY_GAP_MILLISECONDS = 100
"""Equal texts with a longer pause between them are not one sign."""
_BLOCK = r"\{[^{}]*\}"
_DRAWING = (
    r"\{[^{}]*\\p[1-9]\d*[^{}]*\}(?:[^{}]|\{(?![^{}]*\\p0)[^{}]*\})*(?:\{[^{}]*\\p0[^{}]*\})?"
)
_TAGS = re.compile(
    rf"(?:{_DRAWING})|\{{\\(?P<opens>[ibus])1\}}|\{{\\(?P<closes>[ibus])0?\}}|{_BLOCK}"
)
_PLACE = re.compile(rf"(?:\s|\\h|{_DRAWING}|{_BLOCK})*")
_OTHER_LOOK = re.compile(r"[ \t]*(?:\{[^{}]*\})*?\{[^{}]*\\(?:fs[\d.]|fn|r)[^{}]*\}")
"""A line in another font or size is not a part of the sentence before it."""
_LINE_ENDS = re.compile(rf"{_BLOCK}|\\[Nn]")
_ESCAPED = re.compile(r"\\(?=[Nnh])|[{}\u00a0]")
_SIGNS = {"\\": "\\\u2060", "{": "(", "}": ")", "\u00a0": "\\h"}
"""What is written for signs that would be markup; a word joiner keeps a backslash from it."""
_SYLLABLE = re.compile(r"\\[kK][fot]?(\d+)")
_UNWRAPPED = re.compile(r"^WrapStyle:[ \t]*2", re.MULTILINE)


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda sign: _SIGNS[sign[0]], text)


def _unescape(text: str) -> str:
    return text.replace("\\h", "\u00a0").replace("\\\u2060", "\\")


def _after(core: str) -> int:
    """Where the tags and drawings at the end of a text begin."""
    end = len(core)
    for tag in reversed(list(_TAGS.finditer(core)) if "{" in core else []):
        if core[tag.end() : end].strip():
            break
        end = tag.start()
    return end


DIALECT = Dialect(
    "an ASS",
    "Dialogue: 0,0:00:01.00,0:00:03.50",
    _TAGS,
    _PLACE,
    _escape,
    _unescape,
    lambda tag: f"{{\\{tag['opens']}0}}",
    _after,
    begins=_OTHER_LOOK,
    nested=False,
)


class Ass:
    """Scripts of ASS and SSA."""

    name = "ass"
    suffixes = (".ass", ".ssa")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> Script:
        """Parse a script; see `Format`."""
        file, warnings = read_text(data, language, encoding), Warnings()
        found = list(events(lines_of(file.text), warnings))
        if not found and "[Events]" not in file.text:
            raise FormatError(
                "There are no subtitles in the file: it has no section [Events]. Check that it is "
                "an ASS or SSA file."
            )
        return Script(file, found, language, warnings.sentences())


class Script(Subtitles):
    """A parsed script."""

    def __init__(
        self, file: TextFile, found: Sequence[Event], language: str, warnings: Sequence[str]
    ) -> None:
        text = _with_line_ends(file.text, found)
        leaders, self._copied = _leaders(text, found, language)
        cues = [Cue(e.line, e.start, e.end, e.text, voice=e.voice) for e in leaders]
        super().__init__(file, cues, DIALECT, language, warnings, text)
        self.newline = "\\N"
        self.max_lines = 2 if _UNWRAPPED.search(file.text) else 1
        self.sentences.sort(key=lambda sentence: self.cues[sentence.turns[0].cue].start)
        self.passages = [sentence.passage for sentence in self.sentences]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The script with these passages; see `Format`."""
        timed = [_timed(s, p) for s, p in zip(self.sentences, passages, strict=True)]
        return super().write(timed, language, bilingual=bilingual)

    def _copies(self, changes: Sequence[Change]) -> Iterator[Change]:
        own = sorted((start, end, new) for start, end, new in changes)
        place = 0
        for (start, end), others in sorted(self._copied.items()):
            while place < len(own) and own[place][0] < start:
                place += 1
            while place < len(own) and own[place][1] <= end:
                first, last, new = own[place]
                yield from ((first - start + o, last - start + o, new) for o in others)
                place += 1


def _with_line_ends(text: str, found: Sequence[Event]) -> str:
    r"""The text of a file with plain line ends, of the same length, in place of `\N`."""
    parts, place = list[str](), 0
    for event in found:
        start, end = event.text
        new = _LINE_ENDS.sub(lambda e: "\r\n" if e[0][0] == "\\" else e[0], text[start:end])
        parts += text[place:start], new
        place = end
    return "".join([*parts, text[place:]])


def _leaders(
    text: str, found: Sequence[Event], language: str
) -> tuple[list[Event], dict[tuple[int, int], list[int]]]:
    """The events with words, style by style, and the ranges whose text others have, too.

    Of equal texts at the same time, only the first is a leader; the places of the others are
    listed for the range of its text without the tags before and behind it.
    """
    leaders, copied = list[Event](), dict[tuple[int, int], list[int]]()
    open_ones = dict[str, tuple[int, tuple[int, int]]]()
    for event in sorted(found, key=lambda event: event.start):
        core = _core(text, *event.text)
        said = text[slice(*core)]
        if not has_letters(said, language):
            continue
        end, first = open_ones.get(said, (-1, core))
        if event.start <= end + MAX_COPY_GAP_MILLISECONDS and first != core:
            copied.setdefault(first, []).append(core[0])
            open_ones[said] = max(end, event.end), first
        else:
            leaders.append(event)
            open_ones[said] = event.end, core
    styles = {event.voice: number for number, event in reversed(list(enumerate(leaders)))}
    return sorted(leaders, key=lambda event: styles[event.voice]), copied


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    """The range of a text without the tags and spaces before and behind it."""
    place = _PLACE.match(text, start, end)
    start = place.end() if place else start
    core = text[start:end].rstrip()
    return start, start + len(core[: _after(core)].rstrip())


def _timed(sentence: Sentence, passage: Passage) -> Passage:
    """A new passage in which the times of syllables have their order and divide it."""
    if (passage.text, passage.marks) == (sentence.passage.text, sentence.passage.marks):
        return passage
    times = {
        tag: int(found[1])
        for tag, mark in enumerate(sentence.marks)
        if not mark.markup.close and (found := _SYLLABLE.search(mark.markup.open))
    }
    if not times:
        return passage
    shares = [fmean(times.values()), *times.values()]
    places = [start for start, _ in divide(passage.text, shares, passage.keep)]
    moved = dict(zip(times, places[1:], strict=True))
    marks = [
        Mark(moved[m.tag], moved[m.tag], m.tag) if m.tag in moved else m for m in passage.marks
    ]
    return replace(passage, marks=tuple(sorted(marks, key=lambda m: (m.start, -m.end, m.tag))))
