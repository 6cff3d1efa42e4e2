"""Why a sentence pair is dropped."""

from __future__ import annotations

from longways.corpus.alignment.lengths import measured
from longways.corpus.filter.config import FilterConfig
from longways.corpus.filter.language import is_in_other_language, without_code
from longways.corpus.filter.numbers import numbers_differ
from longways.text.languages.codes import main_language

MAX_COPIED_LETTERS = 20
"""Equal sides with at most this many letters are names and terms."""
FREE_LETTERS = 15.0
"""Letters that are added to both lengths, so that short texts may differ by more."""
MIN_LETTERS = 8
"""A side without a letter or a digit is empty if the other has at least this many letters."""

REASONS = (
    "kept",
    "empty side",
    "copied source",
    "languages swapped",
    "wrong language",
    "length ratio",
    "different numbers",
    "repeated pair",
    "repeated document",
)
"""All decisions about a pair, in the order of the numbers that are stored for them."""


def reason(source: str, target: str, languages: tuple[str, str], config: FilterConfig) -> str:
    """Why a pair is dropped, as in `REASONS`; the pair alone decides."""
    if _is_empty(source, target):
        return "empty side"
    if config.copied_source and _is_copied(source, target, languages):
        return "copied source"
    if config.wrong_language and languages[0] != languages[1]:
        wrong = [
            is_in_other_language(text, own, other)
            for text, own, other in ((source, *languages), (target, *languages[::-1]))
        ]
        if any(wrong):
            return "languages swapped" if all(wrong) else "wrong language"
    if config.length_ratio and _ratio(source, target) > config.length_ratio:
        return "length ratio"
    return "different numbers" if config.numbers and numbers_differ(source, target) else "kept"


def _is_empty(source: str, target: str) -> bool:
    """Whether a side has no words, though the other has."""
    letters = [sum(map(str.isalpha, text)) for text in (source, target)]
    words = [any(map(str.isalnum, text)) for text in (source, target)]
    return not all(words) and (max(letters) >= MIN_LETTERS or not (source and target))


def _is_copied(source: str, target: str, languages: tuple[str, str]) -> bool:
    if main_language(languages[0]) == main_language(languages[1]):
        return False
    same = source.casefold().split() == target.casefold().split()
    return same and sum(map(str.isalpha, without_code(source))) > MAX_COPIED_LETTERS


def _ratio(source: str, target: str) -> float:
    lengths = [measured(text).length + FREE_LETTERS for text in (source, target)]
    return max(lengths) / min(lengths)
