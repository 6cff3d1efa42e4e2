"""Subtitles: cues with times, whose text is read sentence by sentence.

A passage is a sentence, which may run over several cues (`sentences`), or what one of several
speakers says in a cue (`turns`). A translation is divided over the same cues again, in
proportion to their duration (`divide`). A tag that the sentence carries from cue to cue is one
mark; it is closed and opened again where the translation is cut.

If there are fewer words than cues, the last cues get a single non-breaking space, so that every cue
is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.placeholders import kept_parts
from longways.formats.subtitles.divide import divide, wrap
from longways.formats.subtitles.marks import Change, Marked, Span, changed, moves, written
from longways.formats.subtitles.sentences import Cue, sentences
from longways.formats.subtitles.timing import (
    Line,
    Warnings,
    lines_of,
    warn_of_line_ends,
    warn_of_times,
)
from longways.formats.subtitles.turns import (
    DASH,
    LINE_END,
    Dialect,
    SpeakerTurn,
    is_bilingual,
    turns_of,
)
from longways.formats.text_file import TextFile
from longways.text.sentences.joiner import has_spaces

EMPTY = "\u00a0"
"""Text of a cue for which no words are left."""

_AT_LINE_END = re.compile(r"(?<!\s)\s*[\r\n]\s*")
_SPACES = re.compile("[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+")
_MAX_LINES = 2
"""Lines of a cue, unless the original has more."""

FindCues = Callable[[Sequence[Line], Warnings], Iterable[Cue]]
"""Finds the cues among the lines of a file."""


class Sentence(NamedTuple):
    """A passage and its turns in the file."""

    turns: list[SpeakerTurn]
    passage: Passage
    marks: list[Marked]
    """Markup of the passage; the tag of a mark is an index of this list."""


def read_subtitles(
    file: TextFile, find: FindCues, dialect: Dialect, language: str, warnings: Warnings
) -> Subtitles:
    """Parse subtitles. Raises `FormatError` if the file has no cue."""
    cues = _found(file.text, find, warnings)
    if not cues:
        raise FormatError(
            f"There are no subtitles in the file: no line has times such as {dialect.times}. "
            f"Check that it is {dialect.kind} file."
        )
    warn_of_times(cues, warnings)
    return Subtitles(file, cues, dialect, language, warnings.sentences())


def _found(text: str, find: FindCues, warnings: Warnings) -> list[Cue]:
    """The cues of a file. The lines need much memory and are not kept."""
    lines = lines_of(text)
    warn_of_line_ends(text, lines, warnings)
    return list(find(lines, warnings))


class Subtitles:
    """A parsed subtitle file."""

    def __init__(
        self,
        file: TextFile,
        cues: Sequence[Cue],
        dialect: Dialect,
        language: str,
        warnings: Sequence[str],
        text: str | None = None,
    ) -> None:
        """`text` is that of the file, of the same length, with plain line ends in its cues."""
        self.file, self.cues, self.dialect = file, cues, dialect
        self.text = file.text if text is None else text
        self.spaced = has_spaces(language)
        self.warnings = warnings
        ends = LINE_END.search(file.text)
        self.newline = ends[0] if ends else "\n"
        self.max_lines = _MAX_LINES
        texts = (self.text[slice(*cue.text)] for cue in cues)
        self.is_bilingual = is_bilingual(texts, dialect)
        turns = [turn for number, cue in enumerate(cues) for turn in self._turns(number, cue)]
        self.sentences = [_joined(group, self.spaced) for group in sentences(turns, cues, language)]
        self.passages = [sentence.passage for sentence in self.sentences]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages; bilingual cues show the original below. See `Format`."""
        changes, cues = list[Change](), set[int]()
        for sentence, passage in zip(self.sentences, passages, strict=True):
            if (passage.text, passage.marks) != (sentence.passage.text, sentence.passage.marks):
                changes += self._changes(sentence, passage, language, bilingual)
                cues.update(turn.cue for turn in sentence.turns)
        changes += self._blank_lines(cues)
        changes += self._copies(changes)
        text, _ = changed(self.file.text, (), sorted(changes))
        return self.file.encode(text)

    def _turns(self, number: int, cue: Cue) -> list[SpeakerTurn]:
        start, end = cue.text
        raw = self.text[start:end]
        return turns_of(raw, start, number, self.dialect, bilingual=self.is_bilingual)

    def _copies(self, changes: Sequence[Change]) -> Iterator[Change]:
        """The same changes in cues with the same text, in formats that have such."""
        yield from ()

    def _blank_lines(self, numbers: set[int]) -> Iterator[Change]:
        """Add missing blank lines after cues with new text."""
        cues = (self.cues[number] for number in numbers)
        return ((cue.text[1], cue.text[1], self.newline) for cue in cues if cue.is_cut_off)

    def _changes(
        self, sentence: Sentence, passage: Passage, language: str, bilingual: bool
    ) -> Iterator[Change]:
        """The changes that write a passage into the cues of its sentence."""
        text, marks, keep = _tidy(sentence, passage)
        shares = [self.cues[turn.cue].duration for turn in sentence.turns]
        parts = divide(text, shares, keep)
        spaced = has_spaces(language)
        for number, (turn, part) in enumerate(zip(sentence.turns, parts, strict=True)):
            most = 1 if bilingual else max(self.max_lines, turn.lines)
            lines = wrap(text, part, most, spaced, keep)
            inside = _marks_inside(marks, parts, number)
            part_text, moved = _after_dash(turn.dash, *_cut_out(text, inside, lines))
            new = written(part_text or EMPTY, moved, self._escape, close_all=bilingual)
            minus = " " if turn.is_after_dash and not DASH.match(f"-{new}") else ""
            own = self._own(turn) if bilingual else ""
            yield turn.start, turn.end, minus + new + own

    def _escape(self, text: str) -> str:
        return self.dialect.escape(text).replace("\n", self.newline)

    def _own(self, turn: SpeakerTurn) -> str:
        """A line end and the original text of a turn on one line."""
        raw = self.text[turn.start : turn.end]
        return self.newline + _AT_LINE_END.sub(" " if self.spaced else "", raw)


def _joined(turns: list[SpeakerTurn], spaced: bool) -> Sentence:
    """The turns of a sentence as one passage."""
    text, marks, open_marks = "", list[Marked](), list[int]()
    for number, turn in enumerate(turns):
        if number:
            text += _between(text[-1:], turn.text[:1], spaced)
        start = len(text)
        continued = _continued_marks(marks, open_marks, turn)
        for at, mark in zip(open_marks, continued, strict=False):
            marks[at] = marks[at]._replace(end=start + mark.end)
        first = len(marks)
        kept = [at for at, _ in zip(open_marks, continued, strict=False)]
        new = [mark for mark in turn.marks if not any(mark is merged for merged in continued)]
        marks += [Marked(start + m.start, start + m.end, m.markup, number) for m in new]
        text += turn.text
        ends = [*kept, *range(first, len(marks))]
        open_marks = [at for at in ends if marks[at].start < marks[at].end == len(text)]
    placed = tuple(Mark(mark.start, mark.end, tag) for tag, mark in enumerate(marks))
    return Sentence(turns, Passage(text, placed, kept_parts(text)), marks)


def _continued_marks(marks: list[Marked], open_marks: list[int], turn: SpeakerTurn) -> list[Marked]:
    """The first marks of a turn that continue open marks of the previous turn, outer to inner.

    The same tag is closed in one cue and opened again in the next.
    """
    first = [mark for mark in turn.marks if mark.start == 0 < mark.end]
    found = list[Marked]()
    for at, mark in zip(open_marks, first, strict=False):
        if marks[at].markup.open != mark.markup.open:
            break
        found.append(mark)
    return found


def _between(last: str, first: str, spaced: bool) -> str:
    """The separator of the texts of two cues: a space, or nothing in scripts without spaces."""
    return " " if spaced or (last + first).isascii() else ""


def _tidy(sentence: Sentence, passage: Passage) -> tuple[str, list[Marked], list[Span]]:
    """A new passage without line ends and double spaces: text, marks, and ranges to keep."""
    changes = [(*match.span(), " ") for match in _SPACES.finditer(passage.text)]
    if changes and changes[0][0] == 0:
        changes[0] = (0, changes[0][1], "")
    if changes and changes[-1][1] == len(passage.text):
        changes[-1] = (*changes[-1][:2], "")
    marks = [
        sentence.marks[mark.tag]._replace(start=mark.start, end=mark.end) for mark in passage.marks
    ]
    to = moves(changes)
    keep = [(to(start), to(end)) for start, end in passage.keep]
    return *changed(passage.text, marks, changes), keep


def _marks_inside(marks: list[Marked], parts: list[Span], number: int) -> list[Marked]:
    """The marks of one cue of a sentence. A standalone tag stays in its original cue."""
    start, end = parts[number]
    after = parts[number - 1][1] if number else -1
    inside = list[Marked]()
    for mark in marks:
        if not mark.markup.close:
            if mark.turn == number:
                place = min(max(mark.start, start), end)
                inside.append(mark._replace(start=place, end=place))
        elif mark.start == mark.end:
            last = number == len(parts) - 1
            if after < mark.start and (mark.start <= end or last):
                inside.append(mark)
        elif mark.start < end and mark.end > start:
            inside.append(mark)
        elif after <= mark.start and mark.end <= start:
            inside.append(mark)  # the mark encloses only the space at the cut
    return inside


def _cut_out(text: str, marks: list[Marked], lines: list[Span]) -> tuple[str, list[Marked]]:
    """Some lines of a text, and the marks inside."""
    ends = [(a[1], b[0], "\n") for a, b in pairwise(lines)]
    return changed(text, marks, [(0, lines[0][0], ""), *ends, (lines[-1][1], len(text), "")])


def _after_dash(dash: str, text: str, marks: list[Marked]) -> tuple[str, list[Marked]]:
    """A text with a speaker's dash before it, inside the tags that begin there."""
    if not dash:
        return text, marks
    dash = dash if DASH.match(dash + text) else f"{dash.rstrip()} "
    size = len(dash)
    moved = [
        mark._replace(start=mark.start and mark.start + size, end=mark.end and mark.end + size)
        for mark in marks
    ]
    return dash + text, moved
