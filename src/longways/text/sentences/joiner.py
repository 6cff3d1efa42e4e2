"""Joining translated segments: line ends of the source, spacing of the target language.

Whitespace of the source is kept exactly, except between two sentences of a line. There a target
language with spaces gets a missing space, and a language without spaces loses a single space.
"""

from __future__ import annotations

from longways.text.sentences.languages import has_spaces
from longways.text.sentences.splitter import LINE_END, Segment

__all__ = ["Joiner", "SentenceJoiner", "has_spaces", "one_line"]


class Joiner:
    """Adds the whitespace between the translated segments of one document."""

    def __init__(self, language: str) -> None:
        self.spaced = has_spaces(language)
        self.waiting: str | None = None
        """The whitespace after the last sentence, if its line has not ended."""

    def add(self, segment: Segment, translation: str) -> str:
        """The text to write for a translated segment, whitespace before it included."""
        before = self._between() if segment.text else self.finish()
        self.waiting = None
        if not segment.text or LINE_END.search(segment.after):
            return before + translation + segment.after
        self.waiting = segment.after
        return before + translation

    def finish(self) -> str:
        """The whitespace to write after the last segment."""
        return self.waiting or ""

    def _between(self) -> str:
        """The whitespace between two sentences of a line."""
        if self.waiting is None:
            return ""
        if self.spaced:
            return self.waiting or " "
        return "" if self.waiting == " " else self.waiting


def one_line(translation: str) -> str:
    """A translation without the line ends that a model might write, byte by byte."""
    return LINE_END.sub(" ", translation).strip()


class SentenceJoiner:
    """Joins the segments of each sentence into one translation per sentence."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.joiner, self.parts = Joiner(language), list[str]()

    def add(self, segment: Segment, translation: str) -> str | None:
        """The translation of the whole sentence, with whitespace, if this segment ends it."""
        self.parts.append(self.joiner.add(segment, translation))
        if not segment.ends:
            return None
        whole = "".join(self.parts) + self.joiner.finish()
        self.joiner, self.parts = Joiner(self.language), []
        return whole
