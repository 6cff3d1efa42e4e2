"""Translations put together again: the line ends of the source, and spaces as the target has them.

Whitespace of the source is kept exactly, but for one place: between two sentences of a line. There
a language with spaces gets one where the source has none, and one without loses a single one.
"""

from __future__ import annotations

import re

from longways.text.sentences import LINE_END, Segment

_WITHOUT_SPACES = frozenset(["zh", "ja", "yue", "wuu"])


def has_spaces(language: str) -> bool:
    """Whether a language writes spaces between its words."""
    return re.split("[-_]", language)[0].lower() not in _WITHOUT_SPACES


class Joiner:
    """Says what to write for each segment of one document, in order."""

    def __init__(self, language: str) -> None:
        self.spaced = has_spaces(language)
        self.waiting: str | None = None
        """The whitespace after the last sentence, if its line has not ended."""

    def add(self, segment: Segment, translation: str) -> str:
        """What to write, now that a segment is translated."""
        before = self._between() if segment.text else self.finish()
        self.waiting = None
        if not segment.text or LINE_END.search(segment.after):
            return before + translation + segment.after
        self.waiting = segment.after
        return before + translation

    def finish(self) -> str:
        """What to write at the end."""
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
    """Puts the segments of each sentence together, for those who want it as a whole."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.joiner, self.parts = Joiner(language), list[str]()

    def add(self, segment: Segment, translation: str) -> str | None:
        """The translation of a whole sentence if it ends here, its whitespace included."""
        self.parts.append(self.joiner.add(segment, translation))
        if not segment.ends:
            return None
        whole = "".join(self.parts) + self.joiner.finish()
        self.joiner, self.parts = Joiner(self.language), []
        return whole
