"""Truecasing as in Moses: a word that opens a sentence gets its most frequent casing.

The most frequent casing is counted where the word does not open a sentence. Within a sentence, a
casing that has been seen stays, and an unseen casing becomes the most frequent one.

Moses also treats a colon as the end of a sentence. We do not: the word after a colon is often in
lower case (`type: integer`), and `detruecase` would capitalise it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

ENDS = frozenset(".?!")
OPENERS = frozenset("([\"'")  # the opening quotes that remain after punctuation normalisation


def openings(words: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Each word, and whether it opens a sentence: quotes and brackets may stand before it."""
    opens = True
    for word in words:
        yield word, opens
        opens = word in ENDS or (opens and word in OPENERS)


@dataclass(frozen=True)
class Truecaser:
    """How often each word was seen in each casing, by its lower-case form."""

    casings: Mapping[str, Mapping[str, int]]

    @classmethod
    def from_counts(cls, counts: Mapping[str, int]) -> Truecaser:
        """Learn from the counts of words that do not open a sentence."""
        casings: dict[str, dict[str, int]] = defaultdict(dict)
        for word in sorted(counts):
            if word.lower() != word.upper():
                casings[word.lower()][word] = counts[word]
        return cls(dict(casings))

    @cached_property
    def _usual(self) -> dict[str, str]:
        """The most frequent casing; ties are alphabetical."""
        return {
            lower: min(seen, key=lambda word: (-seen[word], word))
            for lower, seen in self.casings.items()
        }

    def word(self, word: str, opens: bool) -> str:
        """One word in its true casing."""
        lower = word.lower()
        if not opens and word in self.casings.get(lower, ()):
            return word
        return self._usual.get(lower, word)

    def truecase(self, words: list[str]) -> list[str]:
        """The words of a line in their true casing."""
        return [self.word(word, opens) for word, opens in openings(words)]

    def to_bytes(self) -> bytes:
        """One word per line, as Moses writes it: `usual (count/total) other (count) ...`."""
        lines = (self._line(lower) for lower in sorted(self.casings))
        return "".join(lines).encode()

    def _line(self, lower: str) -> str:
        seen = self.casings[lower]
        usual, *others = sorted(seen, key=lambda word: (-seen[word], word))
        rest = "".join(f" {word} ({seen[word]})" for word in others)
        return f"{usual} ({seen[usual]}/{sum(seen.values())}){rest}\n"

    @classmethod
    def from_bytes(cls, content: bytes) -> Truecaser:
        """Read what `to_bytes` wrote."""
        casings = {}
        for line in content.decode().split("\n")[:-1]:
            fields = line.split(" ")
            counts = (int(field.strip("()").partition("/")[0]) for field in fields[1::2])
            casings[fields[0].lower()] = dict(zip(fields[::2], counts, strict=True))
        return cls(casings)


def detruecase(words: list[str]) -> list[str]:
    """The words of a line with a capital where a sentence opens.

    A word that has a capital already, as iPhone, keeps its casing.
    """
    return [
        word[0].upper() + word[1:] if opens and word.islower() else word
        for word, opens in openings(words)
    ]
