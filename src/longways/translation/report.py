"""The report of a translation: counts of sentences, tokens, terms and seconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from longways.translation.memory.units import Match


class Finding(NamedTuple):
    """A segment that a check has found."""

    document: int
    """The number of its document, from 0 in the order of opening."""
    sentence: int
    """The number of its sentence in the document, from 1, without blank lines."""
    line: int
    """The line of a plain text in which the segment begins, from 1."""
    problems: tuple[str, ...]
    """What is still wrong: numbers, names, repetition, length, context, cut."""
    searched_again: bool
    """Whether it has another translation than the first."""


@dataclass
class Report:
    """Counts of a translation. Pass one to a call; it is updated as sentences are ready."""

    documents: int = 0
    """Documents that were opened."""
    sentences: int = 0
    """Sentences that are translated, without blank lines."""
    split: int = 0
    """Sentences that were too long, or on several lines, and were translated in segments."""
    untranslated: int = 0
    """Sentences without words, which were copied."""
    recalled: int = 0
    """Segments that were taken from the journal of an interrupted job."""
    taken: int = 0
    """Segments whose translation was taken from a translation memory."""
    fuzzy: int = 0
    """Segments that are like one in the translation memory."""
    conflicts: int = 0
    """Segments for which the translation memory has several translations that fit as well."""
    cut: int = 0
    """Segments whose translation was cut off at the length limit."""
    terms: int = 0
    """Glossary terms and words to keep, counted once for each sentence that has them."""
    missed: int = 0
    """Terms that are missing in the translation."""
    searched_again: int = 0
    """Segments whose first translation lacked a part or had a problem, and which have another."""
    wrong_numbers: int = 0
    """Segments in whose translation a number is missing or made up."""
    wrong_names: int = 0
    """Segments in whose translation a name in Latin letters is missing or changed."""
    repetitions: int = 0
    """Segments whose translation repeats itself."""
    odd_lengths: int = 0
    """Segments whose translation is far too long or too short."""
    copies: int = 0
    """Segments whose translation is that of the sentence before."""
    confidence: float | None = None
    """The mean confidence of the segments; None where the model is not calibrated."""
    unfamiliar: int = 0
    """Documents that are unlike the text that the model knows."""
    findings: list[Finding] = field(default_factory=list)
    """The segments that were searched again or have a problem, with their places."""
    source_tokens: int = 0
    """Source tokens."""
    target_tokens: int = 0
    """Target tokens."""
    _rated: int = field(default=0, repr=False)
    seconds: float = 0.0
    """Seconds from the request for the first sentence to the last translation."""

    def add_match(self, match: Match | None) -> None:
        """Count what a translation memory had for a segment."""
        if match:
            self.taken += match.kind == "exact"
            self.fuzzy += match.kind == "fuzzy"
            self.conflicts += match.has_conflict

    def add_confidence(self, confidence: float | None) -> None:
        """Count the confidence of a segment in the mean."""
        if confidence is not None:
            self._rated += 1
            mean = self.confidence or 0.0
            self.confidence = mean + (confidence - mean) / self._rated

    def add_problems(self, names: Iterable[str]) -> None:
        """Count the problems of a segment."""
        for name in names:
            if name == "numbers":
                self.wrong_numbers += 1
            elif name == "names":
                self.wrong_names += 1
            elif name == "repetition":
                self.repetitions += 1
            elif name == "length":
                self.odd_lengths += 1
            elif name == "context":
                self.copies += 1

    def __str__(self) -> str:
        """The report in one line."""
        speed = (
            max(0, self.sentences - self.recalled - self.taken) / self.seconds
            if self.seconds
            else 0.0
        )
        parts = [f"{self.sentences:,} sentences in {self.seconds:.1f} s ({speed:.1f} a second)"]
        notes = (
            (self.split, "translated in several segments"),
            (self.untranslated, "copied"),
            (self.recalled, "taken from the journal"),
            (self.taken, "taken from the translation memory"),
            (self.conflicts, "of them with several translations there"),
            (self.fuzzy, "like one there"),
            (self.terms - self.missed, f"of {self.terms:,} terms used"),
            (self.cut, "cut off at the length limit"),
            (self.searched_again, "searched again"),
            (self.wrong_numbers, "with wrong numbers"),
            (self.wrong_names, "with wrong names"),
            (self.repetitions, "with repetitions"),
            (self.odd_lengths, "of odd length"),
            (self.copies, "with the translation of the sentence before"),
            (self.unfamiliar, "documents unlike the text that the model knows"),
        )
        return ", ".join(parts + [f"{count:,} {what}" for count, what in notes if count]) + "."
