"""What happens to bad input: it stops the work, or it is dropped and counted, never in silence."""

from __future__ import annotations

from collections import Counter

from longways.errors import CorpusError


class BadInputPolicy:
    """Collects what is wrong with a corpus while it is read."""

    def __init__(self, skip_bad: bool = False) -> None:
        self.skip_bad = skip_bad
        self.dropped: Counter[str] = Counter()
        """How often each kind of bad input was dropped."""

    def bad(self, kind: str, message: str) -> None:
        """Raise the message, or count its kind if bad input is to be skipped."""
        if not self.skip_bad:
            raise CorpusError(f"{message} Mend it, or drop such input with --skip-bad.")
        self.dropped[kind] += 1

    def check_sentence(self, sentence: str, place: str) -> bool:
        """Whether a sentence has any text in it."""
        if sentence.strip():
            return True
        self.bad("empty sentence", f"{place}: the sentence is empty.")
        return False
