"""Segments of many documents translated side by side, each given as soon as it is ready."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import AnyRuntime
from longways.decoding.windows import Window
from longways.text.pipeline import TextPipeline
from longways.text.sentences.joiner import one_line
from longways.text.sentences.splitter import Segment
from longways.translation.documents import Mend, translate_documents
from longways.translation.encoded_document import Encoded, EncodedDocument
from longways.translation.files.memory import Memory
from longways.translation.report import Report
from longways.translation.terminology.constrained import Request, TermConstrainedSearch
from longways.translation.terminology.glossary import Terms, Wanted

LONGEST = 200
"""Tokens of the longest sentence that is translated in one piece, if there are positions for it."""


class Piece(NamedTuple):
    """A segment that is ready."""

    document: int
    """The place of its document among those given."""
    segment: Segment
    """A sentence of the source, a part of one, or whitespace."""
    translation: str
    """Its translation on one line, or itself where nothing can be translated."""
    score: float | None
    """The model's log-probability of the translation; None if there is none."""
    missed: Sequence[Wanted] = ()
    """Terms that could not be honoured."""


def translate_pieces(
    runtime: AnyRuntime,
    text: TextPipeline,
    documents: Iterable[Iterable[Segment]],
    config: TranslateConfig,
    report: Report,
    memory: Memory | None = None,
    terms: Terms | None = None,
) -> Iterator[Piece]:
    """Every segment as it is ready: those of a document in order, those of several mixed.

    A document is asked for its next segment only after the one before it was given; so when its
    segments end, all of them have been. Memory grows with the documents side by side, not with
    their length.
    """
    opened: dict[int, _Open] = {}
    longest = longest_piece(runtime.positions)

    def until_over(segments: Iterable[Segment], number: int) -> Iterator[Segment]:
        yield from segments
        del opened[number]

    def begin() -> Iterator[EncodedDocument]:
        for number, segments in enumerate(documents):
            report.documents += 1
            encoded = EncodedDocument(until_over(segments, number), text.source, longest, terms)
            opened[number] = _Open(encoded, report)
            yield encoded

    known = _CountedMemory(memory, report) if memory else None
    mend = _mend(TermConstrainedSearch(runtime, text, config), opened)
    began = time.perf_counter() - report.seconds
    for ready in translate_documents(runtime, begin(), config, known, mend):
        document, best = opened[ready.document], ready.hypotheses[0]
        encoded = document.encoded.take()
        piece = _piece(ready.document, encoded, best, text)
        document.count(piece, encoded, best)
        report.seconds = time.perf_counter() - began
        yield piece


def longest_piece(positions: int) -> int:
    """Tokens that are translated in one piece: twice as many, which is rare, should fit as well."""
    return max(1, min(LONGEST, (positions - 10) // 2))


def _piece(number: int, encoded: Encoded, best: Hypothesis, text: TextPipeline) -> Piece:
    """A translation that is blank is none: nothing that was said is dropped."""
    translation = one_line(text.target.decode([best.tokens])[0]) if encoded.tokens else ""
    if not translation:
        return Piece(number, encoded.segment, encoded.segment.text, None)
    missed = [w for w in encoded.wanted if w.is_term and not w.is_in(translation)]
    return Piece(number, encoded.segment, translation, best.score, missed)


def _mend(honouring: TermConstrainedSearch, opened: Mapping[int, _Open]) -> Mend:
    """Terms put into the translations of those sentences that have any."""

    def mend(decoded: Sequence[tuple[int, Window, list[Hypothesis]]]) -> list[list[Hypothesis]]:
        coming = [opened[number].encoded.coming for number, _, _ in decoded]
        asked = [
            Request(encoded.segment.text, encoded.wanted, window, found[0])
            for encoded, (_, window, found) in zip(coming, decoded, strict=True)
        ]
        best = honouring.honour(asked)
        return [
            found if found[0] is new else [new]
            for new, (_, _, found) in zip(best, decoded, strict=True)
        ]

    return mend


class _CountedMemory:
    """A memory whose answers are counted."""

    def __init__(self, memory: Memory, report: Report) -> None:
        self.memory, self.report, self.record = memory, report, memory.record

    def recall(self, document: int, sentence: int) -> Hypothesis | None:
        """What the memory knows."""
        found = self.memory.recall(document, sentence)
        self.report.recalled += found is not None
        return found


class _Open:
    """A document on its way, and what was seen of the sentence it has come to."""

    def __init__(self, encoded: EncodedDocument, report: Report) -> None:
        self.encoded, self.report = encoded, report
        self.parts = self.translated = 0

    def count(self, piece: Piece, encoded: Encoded, best: Hypothesis) -> None:
        """Add a piece to the report; a sentence counts when it ends."""
        report = self.report
        self.parts += bool(piece.segment.text)
        self.translated += piece.score is not None
        report.source_tokens += len(encoded.tokens)
        report.target_tokens += len(best.tokens)
        report.terms += sum(wanted.is_term for wanted in encoded.wanted)
        report.missed += len(piece.missed)
        report.cut += bool(encoded.tokens) and best.stop is None
        if piece.segment.ends and self.parts:
            report.sentences += 1
            report.split += self.parts > 1
            report.untranslated += self.translated == 0
            self.parts = self.translated = 0
