"""Translation of the passages of a file: sentences out, translations with their markup back in.

The sentences of all passages are one document, so that context runs through the whole file. Every
placeholder and every mark of a passage is in its translation. Soft line breaks of a passage are
removed before translation.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from longways.formats.base import Mark, Passage
from longways.text.scripts import are_apart
from longways.text.sentences.joiner import Joiner, has_spaces
from longways.text.sentences.splitter import LINE_END, Segment
from longways.translation.markup.alignment import Aligner, AlignmentRequest, find_kept
from longways.translation.markup.known import KnownPassage
from longways.translation.markup.projection import place_verbatim
from longways.translation.markup.rows import SIGNS, has_lines_of_marks, row_segments
from longways.translation.markup.waiting import WaitingMarks
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.paragraphs import take_paragraphs
from longways.translation.segments import TranslatedSegment
from longways.translation.terminology.glossary import Span, spans_inside


class Passages:
    """The passages of a file in flight: segments go out, translated segments come in."""

    def __init__(
        self,
        passages: Sequence[Passage],
        source: str,
        target: str,
        aligner: Aligner,
        memory: TranslationMemory | None = None,
        known: Sequence[KnownPassage] = (),
    ) -> None:
        """`source` and `target` are languages; `known` has what is known of each passage."""
        self.memory, self.given, self.ready, self.known = memory, passages, list[Passage](), known
        self.sentences = list[list[tuple[str, str]]]()
        """The sentences of each ready passage with their translations."""
        self.source, self.target, self.marks = source, target, WaitingMarks(aligner)
        self.opened: deque[_OpenPassage] = deque()
        self.closed: deque[_OpenPassage] = deque()
        """Passages whose sentences are all translated; marks of some of them wait."""

    def segments(self) -> Iterator[Segment]:
        """The sentences of all passages, one document."""
        for number, passage in enumerate(self.given):
            flow, segments = passage_segments(passage, self.source)
            known = self.known[number] if self.known else None
            opened = _OpenPassage(passage, flow, self.target, known)
            self.opened.append(opened)
            # What is on one side of a hard line break stays there.
            memory = None if flow.breaks or (known and known.has_targets) else self.memory
            given = known.given(segments) if known else iter(segments)
            for segment in take_paragraphs(given, memory, self.target):
                opened.open(segment)
                yield segment

    def add(self, ready: TranslatedSegment) -> TranslatedSegment:
        """Add the next translated segment; returns it with all placeholders restored."""
        self._close()
        translation = self.opened[0].add(ready, self.marks)
        self._close()
        if self.marks.is_full or not self.marks:
            self._settle()
        return ready._replace(translation=translation)

    def so_far(self) -> list[Passage]:
        """All passages; untranslated ones are the source."""
        self._settle()
        return [*self.ready, *self.given[len(self.ready) :]]

    def finish(self) -> list[Passage]:
        """All passages, once all sentences are translated."""
        self._close()
        self._settle()
        assert len(self.ready) == len(self.given), "a passage is not translated"
        return self.ready

    def _close(self) -> None:
        while self.opened and self.opened[0].is_whole:
            self.closed.append(self.opened.popleft())

    def _settle(self) -> None:
        """Place the marks that wait, and finish the passages whose sentences are translated."""
        self.marks.place()
        for closed in self.closed:
            self.ready.append(closed.passage())
            self.sentences.append(list(closed.pairs()))
        self.closed.clear()


class _Placed(NamedTuple):
    """A sentence of a passage with the place of its translation."""

    source: Span
    target: Span
    marks: list[Mark]


class _OpenPassage:
    """A passage of which some sentences are translated."""

    def __init__(
        self,
        given: Passage,
        flow: Passage,
        language: str,
        known: KnownPassage | None,
    ) -> None:
        self.given, self.flow, self.joiner = given, flow, Joiner(language)
        self.known, self.segments = known.whole if known else None, list[Segment]()
        self.known_marks = known.marks if known else {}
        self.numbers = dict[int, int]()
        """The number of each sentence by its place; sentences without text are not counted."""
        self.read = 0
        self.text, self.place, self.sentences = "", 0, list[_Placed]()

    def open(self, segment: Segment) -> None:
        """Take a segment in that is to be translated."""
        self.segments.append(segment)
        if segment.text:
            self.numbers[self.read] = len(self.numbers)
        self.read += len(segment.text) + len(segment.after)

    @property
    def is_whole(self) -> bool:
        return self.place == len(self.flow.text)

    def add(self, ready: TranslatedSegment, waiting: WaitingMarks) -> str:
        """Add the next segment; returns its translation with all placeholders restored."""
        source = self.place, self.place + len(ready.segment.text)
        self.place = source[1] + len(ready.segment.after)
        known = self.known_marks.get(self.numbers.get(source[0], -1))
        if self.known or (known is not None and ready.segment.given is not None):
            translation, marks = ready.translation, list(known or ())
        else:
            translation, marks = marked_sentence(ready, source, self.flow, waiting)
        self.text += self.joiner.add(ready.segment, translation)
        after = ready.segment.after
        end = len(self.text) - (len(after) if LINE_END.search(after) else 0)
        if ready.segment.text:
            self.sentences.append(_Placed(source, (end - len(translation), end), marks))
        return translation

    def passage(self) -> Passage:
        """The translated passage, or the given one if nothing in it was translated."""
        if self.known:
            return self.known
        if all(self.flow.text[a:b] == self.text[c:d] for (a, b), (c, d), _ in self.sentences):
            return self.given
        return Passage(self.text, _whole_marks(self.flow, self.sentences))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Each sentence with its translation; the parts of a long one are joined."""
        place, number = 0, 0
        for segment in self.segments:
            end, first = place + len(segment.text), number
            while number < len(self.sentences) and self.sentences[number].source[1] <= end:
                number += 1
            if first < number:
                span = self.sentences[first].target[0], self.sentences[number - 1].target[1]
                yield segment.text, self.text[slice(*span)]
            place = end + len(segment.after)


def passage_segments(passage: Passage, language: str) -> tuple[Passage, list[Segment]]:
    """A passage without its soft line breaks, and its sentences."""
    flow = passage if has_lines_of_marks(passage) else unwrap(passage, language)
    return flow, list(keep_whole(row_segments(flow, language), flow.keep))


def marked_sentence(
    ready: TranslatedSegment, source: Span, passage: Passage, waiting: WaitingMarks
) -> tuple[str, list[Mark]]:
    """The translation of a sentence with its placeholders, and its marks.

    The list of marks is filled later if they wait for their alignment.
    """
    if not ready.is_translated:
        return ready.translation, marks_inside(passage, source)
    marks, keep = marks_inside(passage, source), spans_inside(passage.keep, source)
    _, missing = find_kept(ready.segment.text, ready.translation, keep)
    if not marks and not missing:
        return ready.translation, []
    if not missing:
        placed = place_verbatim(marks, ready.segment.text, ready.translation)
        if placed is not None:
            return ready.translation, placed
    marked = [(mark.start, mark.end) for mark in marks]
    request = AlignmentRequest(ready.segment.text, ready.translation, keep, marked, ready.terms)
    return waiting.add(request, marks)


def marks_inside(passage: Passage, span: Span) -> list[Mark]:
    """The marks inside a sentence, cut at its ends and counted from its start.

    An empty mark right behind a sentence, such as the mark of a note, belongs to it.
    """
    start, end = span
    before = passage.text[start - 1 : start]
    first = start + (before.strip() != "" and before not in SIGNS)
    last = end + 1 if end == len(passage.text) or not passage.text[end].isspace() else end
    touching = [
        mark
        for mark in passage.marks
        if (mark.start < end and start < mark.end)
        or (mark.start == mark.end and first <= mark.start < last)
    ]
    return [Mark(max(m.start - start, 0), min(m.end, end) - start, m.tag) for m in touching]


def _whole_marks(passage: Passage, sentences: list[_Placed]) -> tuple[Mark, ...]:
    """The marks of all sentences; a mark over several sentences is joined again."""
    spans: dict[int, list[Span]] = {mark.tag: [] for mark in passage.marks}
    for sentence in sentences:
        for mark in sentence.marks:
            offset = sentence.target[0]
            spans[mark.tag].append((mark.start + offset, mark.end + offset))
    found = [Mark(*_around(spans[m.tag], m, sentences), m.tag) for m in passage.marks]
    return _nested(found)


def _around(spans: list[Span], mark: Mark, sentences: list[_Placed]) -> Span:
    if spans and mark.start == mark.end:
        return spans[0]
    if spans:
        return min(start for start, _ in spans), max(end for _, end in spans)
    behind = [s.target[1] for s in sentences if s.source[1] <= mark.start]
    place = behind[-1] if behind else 0
    return place, place


def _nested(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks sorted by their start; a mark that crosses its outer mark ends with it.

    An empty mark stays before the marks that follow it here: it was not inside them.
    """
    found, opened = list[Mark](), list[Mark]()
    for mark in _sorted(marks):
        while opened and opened[-1].end <= mark.start:
            opened.pop()
        end = min(mark.end, opened[-1].end) if opened else mark.end
        found.append(Mark(mark.start, end, mark.tag))
        opened += [found[-1]] if mark.start < end else []
    return tuple(found)


def _sorted(marks: Sequence[Mark]) -> Iterator[Mark]:
    """Marks by their start, outer before inner; empty ones keep their order beside the others."""
    numbered = sorted(enumerate(marks), key=lambda one: (one[1].start, -one[1].end))
    for _, group in groupby(numbered, key=lambda one: one[1].start):
        filled, empty = list[tuple[int, Mark]](), deque[tuple[int, Mark]]()
        for one in group:
            (filled if one[1].start < one[1].end else empty).append(one)
        for number, mark in filled:
            while empty and empty[0][0] < number:
                yield empty.popleft()[1]
            yield mark
        yield from (mark for _, mark in empty)


_LINE = re.compile(rf"(?:(?!{LINE_END.pattern}).)*", re.DOTALL)
_BREAK = re.compile(rf"[ \t]*(?:{LINE_END.pattern})[ \t]*")


def unwrap(passage: Passage, language: str) -> Passage:
    """The passage on one line, with its marks and placeholders.

    A line break becomes a space; in a language without spaces it is removed. A break between lines
    in different scripts, such as a sentence and its English translation, stays.
    """
    if not LINE_END.search(passage.text):
        return passage
    text, places = _joined(passage.text, not has_spaces(language))
    marks = tuple(Mark(places[m.start], places[m.end], m.tag) for m in passage.marks)
    keep = tuple((places[a], places[b]) for a, b in passage.keep)
    return Passage(text, marks, keep, tuple(places[place] for place in passage.breaks))


def keep_whole(segments: Iterable[Segment], keep: Sequence[Span]) -> Iterator[Segment]:
    """Segments with their placeholders; segments are joined where one would cut a placeholder."""
    start, open_one = 0, Segment("", "")
    for segment in segments:
        text = open_one.text + open_one.after + segment.text
        open_one, end = Segment(text, segment.after, segment.ends), start + len(text)
        if not any(a < end < b for a, b in keep):
            yield open_one._replace(keep=tuple(spans_inside(keep, (start, end))))
            start, open_one = end + len(segment.after), Segment("", "")


def _between(line: str, following: str, spaceless: bool) -> str:
    """What joins two lines of a passage."""
    if are_apart(line, following):
        return "\n"
    around = line[-1:] + following[:1]
    ends = line[-1:] in (".", "!", "?")
    return "" if spaceless and around and not around.isascii() and not ends else " "


def _joined(text: str, spaceless: bool) -> tuple[str, list[int]]:
    """The text on one line, and the new place of each old character."""
    parts, places, start, length = list[str](), list[int](), 0, 0
    for gap in _BREAK.finditer(text):
        places += range(length, length + gap.start() - start)
        length += gap.start() - start
        line, following = text[start : gap.start()], _LINE.match(text, gap.end())
        between = _between(line, following[0] if following else "", spaceless)
        parts += [text[start : gap.start()], between]
        places += [length] * (gap.end() - gap.start())
        length += len(between)
        start = gap.end()
    places += range(length, length + len(text) - start + 1)
    return "".join([*parts, text[start:]]), places
