"""English forms of a term that fit its place: the plural, and a or an before it."""

from __future__ import annotations

import re

_ARTICLE = re.compile(r"\b([Aa])n?(\s+\W?)$")
_PLURAL = re.compile(r"[A-Za-z]{2,}[^siu\W\d_]s$")
_AN = re.compile("[aeiou]|hour|honest|heir", re.IGNORECASE)
"""The beginnings of words that take `an`."""
_A = re.compile("uni(?!n)|us[aei]|util|ur[ai]|eu|one|once|ubi|u(?![a-z])", re.IGNORECASE)
"""The beginnings of words that take `a` although a vowel letter is first."""


def plural(term: str) -> str:
    """The regular plural of a term."""
    if re.search("[^aeiou]y$", term):
        return f"{term[:-1]}ies"
    return f"{term}es" if re.search("(?:[sxz]|[cs]h)$", term) else f"{term}s"


def like(term: str, replaced: str) -> str:
    """The plural of a term that replaces a plural."""
    is_word = term[-1:].isalpha() and term[-1:].islower() and not _PLURAL.search(term)
    return plural(term) if is_word and _PLURAL.search(replaced) else term


def with_article(before: str, term: str) -> str:
    """The text before a term, whose last word becomes a or an as the term needs it."""
    article = _ARTICLE.search(before)
    if article is None or not term[:1].isalpha():
        return before
    is_spelled = len(term) > 1 and term[:2].isupper()
    takes_an = term[0] in "AEFHILMNORSX" if is_spelled else _starts_with_vowel(term)
    return f"{before[: article.start()]}{article[1]}{'n' if takes_an else ''}{article[2]}"


def _starts_with_vowel(term: str) -> bool:
    return _AN.match(term) is not None and not _A.match(term)
