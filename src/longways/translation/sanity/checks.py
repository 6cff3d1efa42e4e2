"""Problems of a translation that can be seen without knowing a better one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from longways.decoding.windows import Window
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP
from longways.translation.sanity.names import missing_names
from longways.translation.sanity.numbers import NumberCheck, check_numbers
from longways.translation.sanity.repetition import has_doubled_words, is_repetitive

MAX_RATIO, MAX_EXTRA_TOKENS = 3.0, 20
"""A translation of more than `MAX_RATIO * source_tokens + MAX_EXTRA_TOKENS` tokens is too long."""
MIN_RATIO, MIN_SOURCE_TOKENS = 0.2, 15
"""One of fewer than `MIN_RATIO` tokens for each source token is too short, if it has this many."""
MIN_COPIED_CHARACTERS = 24
"""A shorter translation may equal the one before it: Rain falls. Rain falls."""


class Problems(NamedTuple):
    """What is wrong with a translation."""

    numbers: NumberCheck
    repetition: bool = False
    too_long: bool = False
    too_short: bool = False
    copies_context: bool = False
    """Whether it is the translation of the sentence before, whose source is another."""
    is_cut: bool = False
    """Whether it was cut off at the length limit."""
    names_missing: tuple[str, ...] = ()
    """Names in Latin letters that it lacks; a missing number is worse."""
    doubled_words: bool = False
    """Whether it says a word or two twice, which is better than a missing number too."""

    @property
    def severity(self) -> int:
        """0 for a translation without problems."""
        return (
            4 * self.repetition
            + 3 * (self.too_long + self.copies_context + self.is_cut)
            + 2 * (self.too_short + len(self.numbers.missing))
            + len(self.numbers.foreign)
            + len(self.names_missing)
            + bool(self.numbers.wrong_daytime)
            + self.doubled_words
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The problems by name, as a report has them."""
        found = {
            "numbers": not self.numbers.is_right,
            "repetition": self.repetition or self.doubled_words,
            "length": self.too_long or self.too_short,
            "context": self.copies_context,
            "cut": self.is_cut,
            "names": bool(self.names_missing),
        }
        return tuple(name for name, is_found in found.items() if is_found)


def find_problems(
    source: str,
    translation: str,
    sizes: tuple[int, int],
    languages: tuple[str, str],
    copies: bool = False,
    is_cut: bool = False,
    terms: Sequence[tuple[str, str]] = (),
) -> Problems:
    """The problems of a translation; `sizes` are its tokens in the source and in the target.

    `terms` are glossary terms with their targets: names and numbers in a term need not arrive.
    """
    source_tokens, target_tokens = sizes
    return Problems(
        check_numbers(source, translation, languages, terms),
        is_repetitive(translation, source),
        target_tokens > MAX_RATIO * source_tokens + MAX_EXTRA_TOKENS,
        source_tokens >= MIN_SOURCE_TOKENS and target_tokens < MIN_RATIO * source_tokens,
        copies and len(translation) >= MIN_COPIED_CHARACTERS,
        is_cut,
        missing_names(source, translation, languages[0], [term for term, _ in terms]),
        has_doubled_words(translation, source),
    )


def copies_context(window: Window, tokens: Sequence[int]) -> bool:
    """Whether a translation equals that of the sentence before, though the sources differ."""
    targets, sources = _sentences(window.prefix), _sentences(window.source)
    if not targets or len(sources) < 2:
        return False
    return targets[-1] == list(tokens) and sources[-1] != sources[-2]


def _sentences(tokens: Sequence[int]) -> list[list[int]]:
    """The sentences of a window that are not empty."""
    found: list[list[int]] = [[]]
    for token in tokens:
        if token in (SEP, BOS, EOS):
            found.append([])
        else:
            found[-1].append(token)
    return [sentence for sentence in found if sentence]
