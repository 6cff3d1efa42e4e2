"""Output styles: plain text, bilingual, side by side, and JSON lines."""

from __future__ import annotations

import json
import shutil
from abc import ABC, abstractmethod
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from longways.text.sentences.joiner import Joiner, SentenceJoiner
from longways.translation.memory.units import Match
from longways.translation.sanity.confidence import mean_confidence
from longways.translation.segments import TranslatedSegment


class PlainText:
    """The translation in the shape of the source: its paragraphs, blank lines and line ends."""

    def __init__(self, name: str, language: str) -> None:
        self.joiner = Joiner(language)

    def add(self, ready: TranslatedSegment) -> str:
        """The text to write for a translated segment."""
        return self.joiner.add(ready.segment, ready.translation)

    def finish(self) -> str:
        """The text to write at the end of the document."""
        return self.joiner.finish()

    def note(self, warning: str) -> None:
        """Do nothing: a warning is no translation."""


class TranslatedSentence(NamedTuple):
    """A whole sentence with its translation."""

    source: str
    translation: str
    score: float | None
    """The summed scores of its segments; None if nothing in it was translated."""
    alternatives: list[tuple[str, float]]
    """The hypotheses of the sentence with their scores, the best first."""
    confidence: float | None = None
    """Its predicted quality from 0 to 1; None where it is not known."""
    problems: tuple[str, ...] = ()
    """What a check found wrong: numbers, names, repetition, length, context."""
    searched_again: bool = False
    """Whether its first translation was replaced."""
    match: Match | None = None
    """What a translation memory has for it; exact only if all of it was taken."""


class _BySentence(ABC):
    """A style that shows whole sentences and skips blank lines."""

    BLANK_LINE = ""
    """The output for a blank line."""

    def __init__(self, name: str, language: str) -> None:
        self.name, self.language, self.index = name, language, 0
        self.segments: list[TranslatedSegment] = []

    def add(self, ready: TranslatedSegment) -> str:
        """The text to write for a translated segment: none until its sentence ends."""
        self.segments.append(ready)
        if not ready.segment.ends:
            return ""
        segments, self.segments = self.segments, []
        source = "".join(s.segment.text + s.segment.after for s in segments).strip()
        return self.sentence(self._sentence(source, segments)) if source else self.BLANK_LINE

    def finish(self) -> str:
        """The text to write at the end of the document: all is written."""
        return ""

    def note(self, warning: str) -> None:  # noqa: B027 - most styles have no place for it
        """Do nothing: a warning is no translation."""

    @abstractmethod
    def sentence(self, sentence: TranslatedSentence) -> str:
        """The text to write for a sentence."""

    def _sentence(self, source: str, segments: list[TranslatedSegment]) -> TranslatedSentence:
        scores = [s.score for s in segments if s.score is not None]
        best = self._joined(segments, [s.translation for s in segments])
        ranks = range(max((len(s.alternatives) for s in segments), default=0))
        score = sum(scores) if scores else None
        others = [self._alternative(segments, rank) for rank in ranks[1:]]
        return TranslatedSentence(
            source,
            best,
            score,
            [(best, score or 0.0), *others],
            mean_confidence((s.segment.text, s.confidence) for s in segments),
            tuple(dict.fromkeys(name for s in segments for name in s.problems)),
            any(s.searched_again for s in segments),
            _match(segments),
        )

    def _alternative(self, segments: list[TranslatedSegment], rank: int) -> tuple[str, float]:
        """The hypothesis of a sentence at this rank; a segment with fewer uses its last one."""
        chosen = [
            s.alternatives[min(rank, len(s.alternatives) - 1)]
            if s.alternatives
            else (s.translation, 0.0)
            for s in segments
        ]
        return self._joined(segments, [text for text, _ in chosen]), sum(s for _, s in chosen)

    def _joined(self, segments: list[TranslatedSegment], texts: list[str]) -> str:
        joiner = SentenceJoiner(self.language)
        parts = [joiner.add(s.segment, text) for s, text in zip(segments, texts, strict=True)]
        return (parts[-1] or "").strip()


def _match(segments: list[TranslatedSegment]) -> Match | None:
    """The match of a sentence: exact if all its segments are, or the first fuzzy one."""
    matches = [s.match for s in segments if s.segment.text]
    fuzzy = (match for match in matches if match and match.kind == "fuzzy")
    exact = matches and all(match and match.kind == "exact" for match in matches)
    return matches[0] if exact else next(fuzzy, None)


class Bilingual(_BySentence):
    """Source and translation one under the other, then a blank line."""

    def sentence(self, sentence: TranslatedSentence) -> str:
        """Three lines."""
        return f"{sentence.source}\n{sentence.translation}\n\n"


class SideBySide(_BySentence):
    """The source on the left, its translation on the right, for reading on a terminal."""

    BLANK_LINE = "\n"
    GAP = "  "
    WIDEST = 160

    def __init__(self, name: str, language: str) -> None:
        super().__init__(name, language)
        columns = min(shutil.get_terminal_size().columns, self.WIDEST)
        self.width = max(10, (columns - len(self.GAP)) // 2)

    def sentence(self, sentence: TranslatedSentence) -> str:
        """As many lines as the longer of the two takes."""
        columns = self._lines(sentence.source), self._lines(sentence.translation)
        sides = zip_longest(*columns, fillvalue="")
        lines = (f"{set_cell_size(left, self.width)}{self.GAP}{right}" for left, right in sides)
        return "".join(line.rstrip() + "\n" for line in lines)

    def _lines(self, text: str) -> list[str]:
        """Cut between words, or between the characters of a script that has none."""
        console = Console(width=self.width)
        return [line.plain.rstrip() for line in Text(text).wrap(console, self.width)]


class JsonLines(_BySentence):
    """One JSON object a sentence; a sentence that was copied has no score.

    A warning about the document is an object of its own after them.
    """

    warning: str | None = None

    def sentence(self, sentence: TranslatedSentence) -> str:
        """One line."""
        values: dict[str, object] = {
            "document": self.name,
            "index": self.index,
            "source": sentence.source,
            "translation": sentence.translation,
            "score": sentence.score,
            "confidence": sentence.confidence,
        }
        if sentence.problems:
            values["problems"] = sentence.problems
        if sentence.searched_again:
            values["searched_again"] = True
        if sentence.match:
            values["memory"] = sentence.match.kind
        if sentence.match and sentence.match.kind == "fuzzy":
            values["fuzzy_match"] = {
                "score": sentence.match.score,
                "source": sentence.match.source,
                "translation": sentence.match.target,
            }
        if len(sentence.alternatives) > 1:
            pairs = sentence.alternatives
            values["nbest"] = [{"translation": text, "score": score} for text, score in pairs]
        self.index += 1
        return json.dumps(values, ensure_ascii=False) + "\n"

    def note(self, warning: str) -> None:
        """Keep the warning for the end of the document."""
        self.warning = warning

    def finish(self) -> str:
        """A line with the warning, if there is one."""
        if self.warning is None:
            return ""
        values = {"document": self.name, "warning": self.warning}
        return json.dumps(values, ensure_ascii=False) + "\n"


OutputStyle = PlainText | Bilingual | SideBySide | JsonLines
"""Renders the translated segments of one document, in order."""
