"""Terms: words that are always translated in one way, or never.

A term is found as whole words. Its small letters stand for capital ones too, so that `node` is also
`Node`, but `API` is not `api`; what is kept must be the same to the letter. In English a plural of
a term counts as the term: which one is right, only the sentence says.
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


class Wanted(NamedTuple):
    """What the translation of a sentence must have in it."""

    source: str
    """As it stands in the sentence."""
    target: str
    pattern: re.Pattern[str]
    """What counts as the target."""
    spans: tuple[Span, ...]
    """Where the source stands."""
    times: int
    """How often the target must be there."""
    is_term: bool = True
    """Whether it is a term; else it is a part that the format of a file wants to be kept."""

    @property
    def exact(self) -> bool:
        """Whether it must be the same to the letter."""
        return self.source == self.target

    def is_in(self, translation: str) -> bool:
        """Whether a translation has it, as often as it must."""
        return self.found_in(translation) >= self.times

    def found_in(self, translation: str) -> int:
        """How often a translation has it."""
        return sum(1 for _ in self.pattern.finditer(translation))


def spans_inside(spans: Iterable[Span], whole: Span) -> list[Span]:
    """Those that lie in a part of a text, counted from where that begins."""
    start, end = whole
    return [(a - start, b - start) for a, b in spans if start <= a and b <= end]


def wanted_parts(sentence: str, spans: Iterable[Span]) -> list[Wanted]:
    """Parts of a sentence that must come back as they are, each as often as it is there."""
    by_part: dict[str, list[Span]] = {}
    for start, end in spans:
        by_part.setdefault(sentence[start:end], []).append((start, end))
    return [
        Wanted(part, part, re.compile(re.escape(part)), tuple(places), len(places), False)
        for part, places in by_part.items()
    ]


@dataclass(frozen=True)
class Terms:
    """A glossary, and words that are kept."""

    glossary: Mapping[str, str]
    keep: Sequence[str] = ()
    language: str = "en"
    """That of the translation."""

    def find(self, sentence: str, outside: Iterable[Span] = ()) -> list[Wanted]:
        """The terms in a sentence that are `outside` of these places.

        Where two overlap, it is the one that begins first, or else the longer.
        """
        found: dict[str, list[Span]] = {}
        for match in self._any.finditer(sentence) if self._words else ():
            assert match.lastindex, "every term is a group"
            if any(match.start() < end and start < match.end() for start, end in outside):
                continue
            found.setdefault(self._words[match.lastindex - 1], []).append(match.span())
        return [self._wanted(sentence, word, spans) for word, spans in found.items()]

    @cached_property
    def _words(self) -> list[str]:
        """The longest first."""
        return sorted({*self.glossary, *self.keep}, key=lambda word: (-len(word), word))

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """A group for each word."""
        return re.compile("|".join(f"({_pattern(w, w in self.keep)})" for w in self._words))

    def _wanted(self, sentence: str, word: str, spans: list[Span]) -> Wanted:
        if word in self.keep:
            pattern = re.compile(_pattern(word, True))
            return Wanted(word, word, pattern, tuple(spans), len(spans))
        target, (start, end) = self.glossary[word], spans[0]
        pattern = re.compile(_with_plural(target) if self.language == "en" else _pattern(target))
        return Wanted(sentence[start:end], target, pattern, tuple(spans), 1)


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
