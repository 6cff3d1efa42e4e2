"""What a translation looks like when it is written: plain text, two languages, or JSON lines."""

from __future__ import annotations

import json
import shutil
from abc import ABC, abstractmethod
from itertools import zip_longest

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from longways.text.sentences.joiner import Joiner, SentenceJoiner
from longways.text.sentences.splitter import Segment
from longways.translation.segments import Piece


class PlainText:
    """The translation in the shape of the source: its paragraphs, blank lines and line ends."""

    def __init__(self, name: str, language: str) -> None:
        self.joiner = Joiner(language)

    def add(self, piece: Piece) -> str:
        """What to write, now that a piece is ready."""
        return self.joiner.add(piece.segment, piece.translation)

    def finish(self) -> str:
        """What to write at the end of the document."""
        return self.joiner.finish()


class _BySentence(ABC):
    """A form that needs whole sentences. Blank lines are none."""

    BLANK_LINE = ""
    """What to write for one."""

    def __init__(self, name: str, language: str) -> None:
        self.name, self.index = name, 0
        self.joiner = SentenceJoiner(language)
        self.segments: list[Segment] = []
        self.scores: list[float] = []

    def add(self, piece: Piece) -> str:
        """What to write, now that a piece is ready: nothing until a sentence ends."""
        translation = self.joiner.add(piece.segment, piece.translation)
        self.segments.append(piece.segment)
        self.scores += [] if piece.score is None else [piece.score]
        if translation is None:
            return ""
        source = "".join(segment.text + segment.after for segment in self.segments).strip()
        score = sum(self.scores) if self.scores else None
        self.segments, self.scores = [], []
        return self.sentence(source, translation.strip(), score) if source else self.BLANK_LINE

    def finish(self) -> str:
        """What to write at the end of the document: all is written."""
        return ""

    @abstractmethod
    def sentence(self, source: str, translation: str, score: float | None) -> str:
        """What to write for a sentence."""


class Bilingual(_BySentence):
    """Source and translation one under the other, then a blank line."""

    def sentence(self, source: str, translation: str, score: float | None) -> str:
        """Three lines."""
        return f"{source}\n{translation}\n\n"


class SideBySide(_BySentence):
    """The source on the left, its translation on the right, for reading on a terminal."""

    BLANK_LINE = "\n"
    GAP = "  "
    WIDEST = 160

    def __init__(self, name: str, language: str) -> None:
        super().__init__(name, language)
        columns = min(shutil.get_terminal_size().columns, self.WIDEST)
        self.width = max(10, (columns - len(self.GAP)) // 2)

    def sentence(self, source: str, translation: str, score: float | None) -> str:
        """As many lines as the longer of the two takes."""
        sides = zip_longest(self._lines(source), self._lines(translation), fillvalue="")
        lines = (f"{set_cell_size(left, self.width)}{self.GAP}{right}" for left, right in sides)
        return "".join(line.rstrip() + "\n" for line in lines)

    def _lines(self, text: str) -> list[str]:
        """Cut between words, or between the characters of a script that has none."""
        console = Console(width=self.width)
        return [line.plain.rstrip() for line in Text(text).wrap(console, self.width)]


class JsonLines(_BySentence):
    """One JSON object a sentence; a sentence that came back as it is has no score."""

    def sentence(self, source: str, translation: str, score: float | None) -> str:
        """One line."""
        values = {
            "document": self.name,
            "index": self.index,
            "source": source,
            "translation": translation,
            "score": score,
        }
        self.index += 1
        return json.dumps(values, ensure_ascii=False) + "\n"


Form = PlainText | Bilingual | SideBySide | JsonLines
"""Says what to write for the pieces of one document, in order."""
