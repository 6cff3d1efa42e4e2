"""Text documents in flight: segments of text in, translated segments out.

Segments are encoded one at a time (`encoded_segments`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import Found
from longways.decoding.windows import Window
from longways.text.pipeline import TextPipeline
from longways.text.sentences.joiner import one_line
from longways.text.sentences.languages import has_spaces
from longways.text.sentences.opening_marks import (
    without_space_after_opening,
    without_space_inside_tags,
)
from longways.text.sentences.splitter import LINE_END, Segment
from longways.translation.documents import (
    DocumentDecoder,
    DocumentEnd,
    OpenDocument,
    Revise,
)
from longways.translation.encoded_segments import (
    EncodedSegment,
    encode_segments,
    longest_segment,
)
from longways.translation.glued_words import without_glued_words
from longways.translation.list_numbers import is_label, translated_label
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.units import Match
from longways.translation.report import Finding, Report
from longways.translation.sanity.checks import find_problems
from longways.translation.sanity.confidence import Calibration, Familiarity
from longways.translation.sanity.garbage import without_garbage
from longways.translation.sanity.second_search import Checked, SecondSearch
from longways.translation.terminology.constrained import Request, TermConstrainedSearch
from longways.translation.terminology.glossary import Constraint, Terms
from longways.translation.terminology.kept_search import KeptRequest, KeptSearch


class TranslatedSegment(NamedTuple):
    """A segment and its translation."""

    document: int
    """The number of its document, in the order of opening."""
    segment: Segment
    """A sentence of the source, a part of one, or whitespace."""
    translation: str
    """Its translation on one line, or itself where nothing can be translated."""
    score: float | None
    """The model's log-probability of the translation; None if the segment stays untranslated."""
    missed: Sequence[Constraint] = ()
    """Glossary terms that search could not place."""
    alternatives: Sequence[tuple[str, float]] = ()
    """All hypotheses that were asked for, with their scores, the best first."""
    problems: Sequence[str] = ()
    """What a check found wrong: numbers, names, repetition, length, context, cut."""
    confidence: float | None = None
    """Predicted quality between 0 and 1; None where the model is not calibrated."""
    searched_again: bool = False
    """Whether the first translation was replaced; not known of one from a journal."""
    terms: Sequence[Constraint] = ()
    """Its glossary terms. With any, its score does not tell what the model knows."""
    match: Match | None = None
    """What a translation memory has for it; an exact match is its translation."""

    @property
    def is_translated(self) -> bool:
        """Whether search has translated it, or its translation was given."""
        given = self.segment.given
        return self.score is not None or (given is not None and given != self.segment.text)


class ResumeCache(Protocol):
    """The translations of one document that an interrupted job has made, by sentence."""

    def recall(self, sentence: int) -> Found | None:
        """The hypotheses of a sentence, the best first, if they are known."""

    def record(self, sentence: int, found: Found) -> None:
        """Store the hypotheses of a sentence that was just translated."""


class TextDocument(OpenDocument[TranslatedSegment]):
    """A document of text; its segments are read and encoded one at a time.

    The text may come from a person who types, and memory does not grow with its length.
    """

    def __init__(
        self,
        number: int,
        segments: Iterator[EncodedSegment],
        text: TextPipeline,
        report: Report,
        resume: ResumeCache | None = None,
        confidence: Calibration | None = None,
    ) -> None:
        self.number, self.text, self.report, self.resume = number, text, report, resume
        self.confidence, self.familiarity = confidence, Familiarity(confidence)
        self.searched_again = False
        """Whether the next segment has another translation than the first one found."""
        self._segments = segments
        self._next: EncodedSegment | None = None
        self._taken = self._parts = self._translated = 0
        self._sentence, self._line, self._is_judged = 1, 1, False
        self._before = ("", "")

    @property
    def next_segment(self) -> EncodedSegment:
        """The segment whose tokens `peek` returned."""
        assert self._next is not None, "peek was not called"
        return self._next

    def peek(self) -> Sequence[int] | None:
        """The token ids of the next segment; it is read on the first call."""
        if self._next is None:
            self._next = next(self._segments, None)
        if self._next is None and not self._is_judged:
            self._is_judged = True
            self.report.unfamiliar += self.familiarity.is_low
        return None if self._next is None else self._next.tokens

    def recall(self) -> Found | None:
        """The hypotheses that an interrupted job has stored, or a translation that was given."""
        if self.next_segment.known:
            return self.next_segment.known
        found = self.resume.recall(self._taken) if self.resume else None
        self.report.recalled += found is not None
        return found

    def record(self, found: Found) -> None:
        """Store new hypotheses for a job that resumes this one."""
        if self.resume:
            self.resume.record(self._taken, found)

    def take(self, found: Found) -> TranslatedSegment:
        """The next segment with its translation, counted in the report."""
        encoded, self._next = self.next_segment, None
        self._taken += 1
        ready = self._translated_segment(encoded, found)
        self._count(ready, encoded, found[0])
        self.searched_again = False
        return ready

    def _translated_segment(self, encoded: EncodedSegment, found: Found) -> TranslatedSegment:
        """A blank translation counts as none: the source is kept, so that nothing is dropped."""
        if encoded.segment.given is not None:
            return self._given_segment(encoded, encoded.segment.given)
        texts = self._decode(found, encoded) if encoded.tokens else [""]
        if not texts[0]:
            return TranslatedSegment(
                self.number, encoded.segment, self._kept(encoded.segment.text), None
            )
        missed = [w for w in encoded.constraints if w.is_term and not w.is_in(texts[0])]
        scored = [(text, one.score) for text, one in zip(texts, found, strict=True)]
        languages = self.text.source_language, self.text.target_language
        sizes = len(encoded.tokens), len(found[0].tokens)
        (source, copied), self._before = self._before, (encoded.segment.text, texts[0])
        copies = copied == texts[0] and source != encoded.segment.text
        is_cut = found[0].stop is None
        given = encoded.segment.text
        terms = [(one.source, one.target) for one in encoded.constraints]
        problems = find_problems(given, texts[0], sizes, languages, copies, is_cut, terms)
        if encoded.masked.lacks_words(texts[0]):
            problems = problems._replace(too_short=True)
        config = self.confidence
        sure = config.of(encoded.masked.text, sizes[0], found[0]) if config else None
        return TranslatedSegment(
            self.number,
            encoded.segment,
            texts[0],
            found[0].score,
            missed,
            scored,
            problems.names,
            sure,
            self.searched_again,
            [constraint for constraint in encoded.constraints if constraint.is_term],
            encoded.match,
        )

    def _given_segment(self, encoded: EncodedSegment, given: str) -> TranslatedSegment:
        """A segment with the translation that was given. It is not checked, but terms count."""
        self._before = encoded.segment.text, given
        terms = [constraint for constraint in encoded.constraints if constraint.is_term]
        missed = [term for term in terms if not term.is_in(given)]
        ready = TranslatedSegment(self.number, encoded.segment, given, None, missed, terms=terms)
        return ready._replace(alternatives=[(given, 0.0)], match=encoded.match)

    def _decode(self, found: Found, encoded: EncodedSegment) -> list[str]:
        """The text of each hypothesis, with its kept parts and the signs at its ends."""
        whole, (start, end) = encoded.segment.text, encoded.core
        known = self.text.target.characters
        given = whole + "".join(one.target for one in encoded.constraints)
        texts = self.text.target.decode([one.tokens for one in found])
        lines = (one_line(without_garbage(text, given, known)) for text in texts)
        whole_lines = (encoded.masked.restore(self._spaced(line, encoded)) for line in lines)
        clean = [without_space_inside_tags(line, encoded.source) for line in whole_lines]
        before = translated_label(whole[:start], self.text.target_language)
        return [before + text + whole[end:] if text else "" for text in clean]

    def _kept(self, text: str) -> str:
        """An untranslated segment; a list number is written as the target language writes it."""
        if not is_label(text, self.text.source_language):
            return text
        return translated_label(text, self.text.target_language).rstrip()

    def _spaced(self, line: str, encoded: EncodedSegment) -> str:
        """A line of the model with the spaces that its words and brackets need."""
        line = without_space_after_opening(line, encoded.source)
        if has_spaces(self.text.target_language):
            line = without_glued_words(line, encoded.masked.text)
        return line

    def _count(self, ready: TranslatedSegment, encoded: EncodedSegment, best: Hypothesis) -> None:
        """Add a segment to the report; a sentence counts when its last segment is ready."""
        report = self.report
        self._parts += bool(ready.segment.text)
        self._translated += ready.is_translated
        report.add_match(ready.match)
        report.source_tokens += len(encoded.tokens)
        report.target_tokens += len(best.tokens)
        report.terms += sum(constraint.is_term for constraint in encoded.constraints)
        report.missed += len(ready.missed)
        report.cut += bool(encoded.tokens) and best.stop is None
        report.searched_again += ready.searched_again
        report.add_problems(ready.problems)
        report.add_confidence(ready.confidence)
        if not ready.terms:
            self.familiarity.add(ready.confidence)
        if ready.problems or ready.searched_again:
            place = self.number, self._sentence, self._line
            report.findings.append(Finding(*place, tuple(ready.problems), ready.searched_again))
        self._line += len(LINE_END.findall(ready.segment.text + ready.segment.after))
        if ready.segment.ends and self._parts:
            self._sentence += 1
            report.sentences += 1
            report.split += self._parts > 1
            report.untranslated += self._translated == 0
            self._parts = self._translated = 0


class SegmentDecoder:
    """Translates the segments of documents side by side.

    Open documents while there is `room`, then ask for the `next` event: a translated segment or
    the end of a document.
    """

    def __init__(
        self,
        runtime: AnyRuntime,
        text: TextPipeline,
        config: TranslateConfig,
        report: Report | None = None,
        terms: Terms | None = None,
        confidence: Calibration | None = None,
        memory: TranslationMemory | None = None,
    ) -> None:
        self.text, self.report, self.terms = text, report or Report(), terms or Terms({})
        self.confidence, self.memory = confidence, memory
        self.longest = longest_segment(runtime.positions)
        revise = _revision(
            KeptSearch(runtime, text, config),
            TermConstrainedSearch(runtime, text, config),
            SecondSearch(runtime, text, config),
        )
        self.decoder = DocumentDecoder[TranslatedSegment](runtime, config, revise)
        self.began: float | None = None

    @property
    def room(self) -> int:
        """The number of documents that can be opened now."""
        return self.decoder.room

    @property
    def opened(self) -> int:
        """The number of documents that were opened: the number of the next one."""
        return self.decoder.opened

    def open(self, segments: Iterable[Segment], resume: ResumeCache | None = None) -> int:
        """Take a document in; returns its number."""
        return self.decoder.open(self._document(segments, resume))

    def next(self) -> TranslatedSegment | DocumentEnd | None:
        """The next event; None if no document is in flight."""
        if self.began is None:
            self.began = time.perf_counter() - self.report.seconds
        event = self.decoder.next()
        self.report.seconds = time.perf_counter() - self.began
        return event

    def _document(self, segments: Iterable[Segment], resume: ResumeCache | None) -> TextDocument:
        self.report.documents += 1
        encoded = encode_segments(segments, self.text, self.longest, self.terms, self.memory)
        return TextDocument(
            self.decoder.opened, encoded, self.text, self.report, resume, self.confidence
        )


def _revision(kept: KeptSearch, terms: TermConstrainedSearch, second: SecondSearch) -> Revise:
    """Put missing kept parts and terms into translations, and search wrong ones again."""

    def revise(ready: Sequence[tuple[TextDocument, Window, Found]]) -> list[Found]:
        encoded = [document.next_segment for document, _, _ in ready]
        intact = kept.repair(
            [
                KeptRequest(one.source, one.keep, one.masked, one.tokens, window, found[0])
                for one, (_, window, found) in zip(encoded, ready, strict=True)
            ]
        )
        best = terms.constrain(
            [
                Request(one.masked.text, one.constraints, window, found)
                for one, (_, window, _), found in zip(encoded, ready, intact, strict=True)
            ]
        )
        best = second.improve(
            [
                Checked(
                    one.masked.text,
                    one.tokens,
                    one.constraints,
                    window,
                    found,
                    one.masked.damaged,
                )
                for one, (_, window, _), found in zip(encoded, ready, best, strict=True)
            ]
        )
        for (document, _, found), new in zip(ready, best, strict=True):
            document.searched_again = found[0] is not new
        return [
            found if found[0] is new else [new]
            for new, (_, _, found) in zip(best, ready, strict=True)
        ]

    return revise
