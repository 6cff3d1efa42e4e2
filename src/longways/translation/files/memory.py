"""What is remembered of a translation: a sentence that is ready is not translated again."""

from __future__ import annotations

from typing import Protocol

from longways.decoding.hypothesis import Hypothesis


class Memory(Protocol):
    """Sentences that were translated before, by their places."""

    def recall(self, document: int, sentence: int) -> Hypothesis | None:
        """The translation of a sentence, if it is known."""

    def record(self, document: int, sentence: int, best: Hypothesis) -> None:
        """Take note of a translation that has just been made."""


class NoMemory:
    """Nothing is remembered."""

    def recall(self, document: int, sentence: int) -> Hypothesis | None:
        """Never anything."""
        return None

    def record(self, document: int, sentence: int, best: Hypothesis) -> None:
        """Forgotten at once."""
