"""The passages of a file translated, each sentence with those before it in view, marks in place.

Context runs through the whole file: the sentences of all passages are one document. What must be
kept is in the translation, each part as it was, and every mark of a passage is in its translation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longways.formats.base import Mark, Passage
from longways.text.sentences.joiner import Joiner
from longways.text.sentences.splitter import Segment, split_text
from longways.translation.markup.alignment import Aligner, find_kept
from longways.translation.markup.projection import place_marks, place_verbatim
from longways.translation.markup.unwrap import keep_whole, unwrap
from longways.translation.segments import Piece
from longways.translation.terminology.glossary import Span, spans_inside
from longways.translation.translator import Translator


class Passages:
    """The passages of a file on their way: they go as segments, and their pieces come back."""

    def __init__(self, passages: Sequence[Passage], translator: Translator) -> None:
        self.given, self.ready = passages, list[Passage]()
        self.source, self.target = translator.source_language, translator.target_language
        self.aligner = Aligner(translator.runtime, translator.model.text)
        self.opened: deque[_OpenPassage] = deque()

    def segments(self) -> Iterator[Segment]:
        """The sentences of all passages, one document."""
        for passage in self.given:
            flow = unwrap(passage, self.source)
            self.opened.append(_OpenPassage(passage, flow, self.target))
            yield from keep_whole(split_text(flow.text, self.source), flow.keep)

    def add(self, piece: Piece) -> Piece:
        """The next sentence, all that is kept in it. A passage is ready when its last has come."""
        self._close()
        translation = self.opened[0].add(piece, self.aligner)
        self._close()
        return piece._replace(translation=translation)

    def so_far(self) -> list[Passage]:
        """All passages: those that are ready, and the others as they were given."""
        return [*self.ready, *self.given[len(self.ready) :]]

    def finish(self) -> list[Passage]:
        """All passages, now that all sentences have come."""
        self._close()
        assert len(self.ready) == len(self.given), "a passage has not come back"
        return self.ready

    def _close(self) -> None:
        while self.opened and self.opened[0].is_whole:
            self.ready.append(self.opened.popleft().passage())


class _Placed(NamedTuple):
    """A sentence of a passage and where its translation is."""

    source: Span
    target: Span
    marks: list[Mark]


class _OpenPassage:
    """A passage of which some sentences are ready."""

    def __init__(self, given: Passage, flow: Passage, language: str) -> None:
        self.given, self.flow, self.joiner = given, flow, Joiner(language)
        self.text, self.place, self.sentences = "", 0, list[_Placed]()

    @property
    def is_whole(self) -> bool:
        return self.place == len(self.flow.text)

    def add(self, piece: Piece, aligner: Aligner) -> str:
        """The translation of the next sentence, all that is kept in it."""
        source = self.place, self.place + len(piece.segment.text)
        self.place = source[1] + len(piece.segment.after)
        translation, marks = _sentence(piece, source, self.flow, aligner)
        self.text += self.joiner.add(piece.segment, translation)
        start = len(self.text) - len(translation)
        if piece.segment.text:
            self.sentences.append(_Placed(source, (start, len(self.text)), marks))
        return translation

    def passage(self) -> Passage:
        """Its translation; if nothing in it could be translated, what was given."""
        if all(self.flow.text[a:b] == self.text[c:d] for (a, b), (c, d), _ in self.sentences):
            return self.given
        return Passage(self.text, _whole_marks(self.flow, self.sentences))


def _sentence(
    piece: Piece, source: Span, passage: Passage, aligner: Aligner
) -> tuple[str, list[Mark]]:
    """A sentence's translation with all that is to be kept, and its marks in it."""
    if piece.score is None:
        return piece.translation, _inside(passage.marks, source)
    marks, keep = _inside(passage.marks, source), spans_inside(passage.keep, source)
    _, missing = find_kept(piece.segment.text, piece.translation, keep)
    if not marks and not missing:
        return piece.translation, []
    if not missing:
        placed = place_verbatim(marks, piece.segment.text, piece.translation)
        if placed is not None:
            return piece.translation, placed
    aligned = aligner.align(piece.segment.text, piece.translation, keep)
    return aligned.translation, place_marks(marks, aligned)


def _inside(marks: Sequence[Mark], span: Span) -> list[Mark]:
    """What of the marks is in a sentence, counted from its beginning."""
    start, end = span
    touching = [
        mark
        for mark in marks
        if (mark.start < end and start < mark.end)
        or (mark.start == mark.end and start <= mark.start < end)
    ]
    return [Mark(max(m.start - start, 0), min(m.end, end) - start, m.tag) for m in touching]


def _whole_marks(passage: Passage, sentences: list[_Placed]) -> tuple[Mark, ...]:
    """The marks of all sentences together: one that goes over several is whole again."""
    spans: dict[int, list[Span]] = {mark.tag: [] for mark in passage.marks}
    for sentence in sentences:
        for mark in sentence.marks:
            offset = sentence.target[0]
            spans[mark.tag].append((mark.start + offset, mark.end + offset))
    found = [Mark(*_around(spans[m.tag], m, sentences), m.tag) for m in passage.marks]
    return _nested(found)


def _around(spans: list[Span], mark: Mark, sentences: list[_Placed]) -> Span:
    if spans:
        return min(start for start, _ in spans), max(end for _, end in spans)
    behind = [s.target[1] for s in sentences if s.source[1] <= mark.start]
    place = behind[-1] if behind else 0
    return place, place


def _nested(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """In the order in which they begin; one that would end behind its outer one ends with it."""
    found, opened = list[Mark](), list[Mark]()
    for mark in sorted(marks, key=lambda m: (m.start, -m.end)):
        while opened and opened[-1].end <= mark.start:
            opened.pop()
        end = min(mark.end, opened[-1].end) if opened else mark.end
        found.append(Mark(mark.start, end, mark.tag))
        opened += [found[-1]] if mark.start < end else []
    return tuple(found)
