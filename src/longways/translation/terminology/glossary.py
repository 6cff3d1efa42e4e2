"""Glossary terms in a sentence, and the constraints that they put on its translation.

A term matches whole words. Its lowercase letters also match capitals: `node` is also `Node`, but
`API` is not `api`. A word to keep matches exactly. An English plural of a term counts as the
term, since only the sentence decides which one is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

Span = tuple[int, int]
"""Characters, from and up to."""

_LETTER = r"[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""A letter or digit of a script that writes spaces between words."""


class Constraint(NamedTuple):
    """A string that the translation of a sentence must contain."""

    source: str
    """Its source, as the sentence has it."""
    target: str
    pattern: re.Pattern[str]
    """Matches every accepted form of the target."""
    spans: tuple[Span, ...]
    """The places of the source in the sentence."""
    times: int
    """The number of times that the target must occur."""
    is_term: bool = True
    """True for a term, False for a placeholder of a file format."""

    @property
    def exact(self) -> bool:
        """Whether the source is copied to the letter."""
        return self.source == self.target

    def is_in(self, translation: str) -> bool:
        """Whether a translation contains it often enough."""
        return self.found_in(translation) >= self.times

    def found_in(self, translation: str) -> int:
        """The number of times that a translation contains it."""
        return sum(1 for _ in self.pattern.finditer(translation))


def spans_inside(spans: Iterable[Span], whole: Span) -> list[Span]:
    """The spans inside a part of a text, counted from the start of the part."""
    start, end = whole
    return [(a - start, b - start) for a, b in spans if start <= a and b <= end]


@dataclass(frozen=True)
class Terms:
    """A glossary, and words that are copied."""

    glossary: Mapping[str, str]
    keep: Sequence[str] = ()
    language: str = "en"
    """The language of the translation."""

    def find(self, sentence: str, outside: Iterable[Span] = ()) -> list[Constraint]:
        """The terms in a sentence that do not overlap the spans in `outside`.

        Of two terms that overlap, the one that begins first counts, or else the longer one.
        """
        found: dict[str, list[Span]] = {}
        for match in self._any.finditer(sentence) if self._words else ():
            assert match.lastindex, "every term is a group"
            if any(match.start() < end and start < match.end() for start, end in outside):
                continue
            found.setdefault(self._words[match.lastindex - 1], []).append(match.span())
        return [self._constraint(sentence, word, spans) for word, spans in found.items()]

    @cached_property
    def _words(self) -> list[str]:
        """All words, the longest first."""
        return sorted({*self.glossary, *self.keep}, key=lambda word: (-len(word), word))

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """A pattern with one group for each word."""
        return re.compile("|".join(f"({_pattern(w, w in self.keep)})" for w in self._words))

    def _constraint(self, sentence: str, word: str, spans: list[Span]) -> Constraint:
        if word in self.keep:
            pattern = re.compile(_pattern(word, True))
            return Constraint(word, word, pattern, tuple(spans), len(spans))
        target, (start, end) = self.glossary[word], spans[0]
        pattern = re.compile(_with_plural(target) if self.language == "en" else _pattern(target))
        return Constraint(sentence[start:end], target, pattern, tuple(spans), 1)


def _with_plural(target: str) -> str:
    """A pattern for an English term and its plural: nodes, classes, policies."""
    if not target[-1:].isalpha():
        return _pattern(target)
    if re.search("[^aeiou]y$", target):
        return f"(?:{_pattern(target)}|{_pattern(target[:-1] + 'ies')})"
    return f"(?:{_pattern(target)}|{_pattern(target + 's')}|{_pattern(target + 'es')})"


def _pattern(text: str, exact: bool = False) -> str:
    """A pattern for a text as whole words."""
    inner = "".join(re.escape(c) if exact or not c.islower() else _either(c) for c in text)
    inner = re.sub(r"(?:\\\s)+", r"\\s+", inner)
    before = f"(?<!{_LETTER})" if re.match(_LETTER, text) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, text[-1:]) else ""
    return f"{before}{inner}{after}"


def _either(letter: str) -> str:
    upper = letter.upper()
    return f"[{letter}{upper}]" if len(upper) == 1 else letter
