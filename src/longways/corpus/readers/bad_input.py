"""The policy for bad input: it raises an error, or it is dropped and counted."""

from __future__ import annotations

from collections import Counter

from longways.errors import CorpusError


class BadInputPolicy:
    """Raises on bad input, or drops and counts it if `skip_bad` is set.

    `drop_empty` drops and counts empty sentences alone.
    """

    def __init__(self, skip_bad: bool = False, *, drop_empty: bool = False) -> None:
        self.skip_bad, self.drop_empty = skip_bad, drop_empty
        self.dropped: Counter[str] = Counter()
        """The number of dropped inputs of each kind."""

    def bad(self, kind: str, message: str) -> None:
        """Raise an error with the message, or count the dropped input under its kind."""
        if not self.skip_bad:
            raise CorpusError(f"{message} Fix it, or drop such input with --skip-bad.")
        self.dropped[kind] += 1

    def count(self, kind: str) -> None:
        """Count input that is left out, though nothing is wrong with it."""
        self.dropped[kind] += 1

    def check_sentence(self, sentence: str, place: str) -> bool:
        """Whether a sentence has text; an empty one is bad input."""
        if sentence.strip():
            return True
        if self.drop_empty:
            self.count("empty side")
        else:
            self.bad("empty sentence", f"{place}: the sentence is empty.")
        return False
