"""Results of a translation, one for each sentence: text, place, score, alignment, alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.text.sentences.joiner import SentenceJoiner
from longways.translation.markup.alignment import Aligner, AlignmentRequest
from longways.translation.sanity.confidence import mean_confidence
from longways.translation.segments import TranslatedSegment
from longways.translation.terminology.glossary import Span

MIN_SHARE_OF_PEAK = 0.5
"""A source character is aligned with a word if it has this share of the word's highest weight."""


class AlignedSpan(NamedTuple):
    """A word of a translation and the characters of the source that it translates."""

    source: Span
    """Offsets (start, end) in `TranslationResult.source`."""
    target: Span
    """Offsets (start, end) in `TranslationResult.text`."""


class Alternative(NamedTuple):
    """One hypothesis of the beam search."""

    text: str
    score: float
    """Its log-probability, which can be compared with that of other alternatives."""


@dataclass(frozen=True, kw_only=True)
class TranslationResult:
    """A translated sentence: its text, where it came from, and how sure the model is."""

    text: str
    """The translation."""
    source: str
    """The sentence that was translated."""
    item: int = 0
    """The index of the sentence in the list that was given; 0 for a text."""
    start: int = 0
    """Offset of the sentence in the text, or in the item, that was given."""
    score: float | None = None
    """The model's log-probability; None if the sentence was copied, as numbers are."""
    confidence: float | None = None
    """The predicted quality from 0 to 1: chrF divided by 100. None if the sentence was copied or
    the model is not calibrated."""
    problems: tuple[str, ...] = ()
    """What no search could avoid: numbers, names, repetition, length, context, cut."""
    searched_again: bool = False
    """Whether the first translation was replaced, since it had a problem or lacked a part."""
    alignment: tuple[AlignedSpan, ...] | None = None
    """The words of the translation in order, each with its source; None unless asked for."""
    alternatives: tuple[Alternative, ...] = ()
    """With `nbest`: all hypotheses, the best first; none for a sentence in several segments."""

    @property
    def end(self) -> int:
        """Offset of the end of the sentence in the text, or in the item, that was given."""
        return self.start + len(self.source)

    def __str__(self) -> str:
        """The translation."""
        return self.text


class ResultBuilder:
    """Collects the translated segments of one document into results, one for each sentence."""

    def __init__(self, language: str, aligner: Aligner | None, nbest: int, items: bool) -> None:
        """`items` says that a list was given, in which a sentence may be blank."""
        self.joiner, self.aligner, self.nbest = SentenceJoiner(language), aligner, nbest
        self.items, self.item, self.place = items, 0, 0
        self.open: list[tuple[TranslatedSegment, Span]] = []
        """Segments of the open sentence, and the places of their translations in it."""

    def add(self, segments: Iterable[TranslatedSegment]) -> Iterator[TranslationResult]:
        """The result of each sentence when its last segment is ready."""
        for ready in segments:
            whole = self.joiner.add(ready.segment, ready.translation)
            end = len((whole or "".join(self.joiner.parts)).rstrip())
            self.open.append((ready, (end - len(ready.translation), end)))
            if whole is not None:
                if self.items or "".join(one.segment.text for one, _ in self.open):
                    yield self._result(whole)
                self._close()

    def _close(self) -> None:
        self.place += sum(len(r.segment.text + r.segment.after) for r, _ in self.open)
        self.open = []
        if self.items:
            self.item, self.place = self.item + 1, 0

    def _result(self, whole: str) -> TranslationResult:
        segments = [ready for ready, _ in self.open]
        written = "".join(one.segment.text + one.segment.after for one in segments)
        source = written if self.items else written.strip()
        scores = [one.score for one in segments if one.score is not None]
        found = segments[0].alternatives if len(segments) == 1 and self.nbest > 1 else ()
        return TranslationResult(
            text=whole if self.items else whole.strip(),
            source=source,
            item=self.item,
            start=self.place + (0 if self.items else len(written) - len(written.lstrip())),
            score=sum(scores) if scores else None,
            confidence=mean_confidence((one.segment.text, one.confidence) for one in segments),
            problems=tuple(dict.fromkeys(name for one in segments for name in one.problems)),
            searched_again=any(one.searched_again for one in segments),
            alignment=self._alignment() if self.aligner else None,
            alternatives=tuple(Alternative(text, score) for text, score in found),
        )

    def _alignment(self) -> tuple[AlignedSpan, ...]:
        """The alignment of all segments, with offsets in the whole sentence."""
        assert self.aligner is not None, "no alignment was asked for"
        spans, lengths = (
            list[AlignedSpan](),
            [len(r.segment.text + r.segment.after) for r, _ in self.open],
        )
        for (ready, target), source in zip(self.open, accumulate([0, *lengths]), strict=False):
            if ready.score is not None:
                own = aligned_spans(self.aligner, ready.segment.text, ready.translation)
                spans += [_shifted(span, source, target[0]) for span in own]
        return tuple(spans)


def _shifted(span: AlignedSpan, source: int, target: int) -> AlignedSpan:
    (a, b), (c, d) = span
    return AlignedSpan((a + source, b + source), (c + target, d + target))


def aligned_spans(aligner: Aligner, source: str, translation: str) -> list[AlignedSpan]:
    """The words of a translation with the source characters that each attends to most."""
    aligned = aligner.align(AlignmentRequest(source, translation))
    spans = zip(aligned.words, aligned.shares, strict=True)
    return [AlignedSpan(_peak(shares), word) for word, shares in spans if shares.any()]


def _peak(shares: NDArray[np.floating]) -> Span:
    """The run of characters around the highest weight whose weights are not much lower."""
    peak = int(shares.argmax())
    low: Sequence[int] = np.flatnonzero(shares < MIN_SHARE_OF_PEAK * shares[peak]).tolist()
    start = max((place + 1 for place in low if place < peak), default=0)
    return start, min((place for place in low if place > peak), default=len(shares))
