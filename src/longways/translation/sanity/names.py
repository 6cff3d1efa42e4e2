"""Names in Latin letters that a sentence in another script has: EEPROM, MariaDB, globalParam.

A name begins with a capital letter, or has one inside, or has a digit: `umi4`. It must arrive as it
is; a plural (APIs) counts, and so do the words of an abbreviation: `pull request` for PR. Other
words in Latin letters may be inflected and are not looked for. Text in Latin script has no such
names, since its capitals have other uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longways.text.scripts import letters_of

MIN_LETTERS = 2
"""A single letter is no name."""
MIN_WORD_LETTERS = 3
"""A word with one capital at its start is a name from this length on."""
MAX_ABBREVIATION_LETTERS = 6
"""Longer abbreviations are not written as their words."""
MAX_DISTANCE_SHARE = 0.5
"""A damaged name differs from the name in at most this share of the name's letters."""

MAX_NAME_LETTERS = 40
"""Longer words are no names."""

_LATIN = re.compile(
    rf"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]{{0,{MAX_NAME_LETTERS - 1}}}(?![A-Za-z0-9_])"
)
_GLUED_NUMBER = re.compile(r"(?<![\w./])([A-Za-z]{3,})(\d[\d.,]*)")
_TYPES = frozenset(["int", "uint", "float", "utf", "sha", "base", "ipv", "iso", "rfc"])
"""Words that are written together with a number."""
_VERSION = re.compile(r"[vV]\d*$")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def names_of(source: str, language: str) -> dict[str, re.Match[str]]:
    """The names of a sentence with their first places; a text in Latin script has none."""
    found = dict[str, re.Match[str]]()
    for word in _words(source, language):
        if _is_name(word[0]):
            found.setdefault(word[0], word)
    return found


def _words(source: str, language: str) -> Iterator[re.Match[str]]:
    """The words in Latin letters of a sentence in another script."""
    own = letters_of(language)
    is_latin = own is None or own.match("a")
    return iter(()) if is_latin else _LATIN.finditer(source)


def _is_name(word: str) -> bool:
    if len(word) < MIN_LETTERS or _VERSION.match(word) or (word.islower() and word.isalpha()):
        return False
    return len(word) >= MIN_WORD_LETTERS or not word[1:].islower()


def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a name in a translation.

    An abbreviation may be a plural and a word may have other endings, but globalParam may not.
    """
    ending = "[a-z]*" if name[1:].islower() else "(?:e?s)?" if name[0].isupper() else ""
    return re.compile(rf"(?<![A-Za-z]){re.escape(name)}{ending}(?![A-Za-z])", re.IGNORECASE)


def missing_names(
    source: str, translation: str, language: str, terms: Sequence[str] = ()
) -> tuple[str, ...]:
    """The names that a translation lacks; those inside glossary `terms` are not looked for."""
    translation = with_spaced_names(translation, source, language)
    return tuple(
        name
        for name in names_of(source, language)
        if not any(name in term for term in terms)
        and not name_pattern(name).search(translation)
        and not _is_spelled_out(name, translation)
    )


def _is_spelled_out(name: str, translation: str) -> bool:
    """Whether the words stand in a translation whose first letters are the name."""
    if not name.isupper() or not name.isalpha() or len(name) > MAX_ABBREVIATION_LETTERS:
        return False
    initials = r"[a-z]*[\s-]+".join(name.lower())
    return re.search(rf"\b{initials}[a-z]*", translation.lower()) is not None


def with_spaced_names(translation: str, source: str, language: str) -> str:
    """The translation with a space before each name and number that a word touches: an EEPROM.

    Chinese has no spaces around them, so a model sometimes writes none either.
    """
    for name in sorted({word[0] for word in _words(source, language)}, key=len, reverse=True):
        if len(name) >= MIN_LETTERS and name in translation:
            glued = re.compile(rf"(?<![\w./]){_before(name)}({re.escape(name)})(?=s?\b)")
            translation = glued.sub(lambda match: _spaced(match, source), translation)
    return _GLUED_NUMBER.sub(lambda match: _apart(match, source, language), translation)


def _apart(match: re.Match[str], source: str, language: str) -> str:
    """A word and a number with a space, if the source has a word of its own before the number."""
    own, number = letters_of(language), match[2].rstrip(".,")
    is_one = match[1].lower() in _TYPES or match[0].lower().rstrip(".,") in source.lower()
    if is_one or own is None or own.match("a"):
        return match[0]
    before = re.search(rf"{own.pattern}{re.escape(number)}(?!\d)", source)
    return f"{match[1]} {match[2]}" if before else match[0]


def _before(name: str) -> str:
    """Matches the words that may touch a name; before one without a capital only `the`."""
    if name[0].isupper() and _is_name(name):
        return "([a-z]{2,}|The|(?:^|(?<=[.!?:] ))[A-Z][a-z]+)"
    return "([Tt]he)" if len(name) >= MIN_WORD_LETTERS + 1 else "(?!)()"


def _spaced(match: re.Match[str], source: str) -> str:
    return match[0] if match[0] in source else f"{match[1]} {match[2]}"


def with_name(translation: str, name: str, source: str) -> Iterator[str]:
    """The translation with a name in place of the word that is most like it: AADC for ADC."""
    known = {word[0].lower() for word in _LATIN.finditer(source)}
    words = [
        word
        for word in _WORD.finditer(translation)
        if word[0].lower() not in known and len(word[0]) <= 2 * MAX_NAME_LETTERS
    ]
    if not words:
        return
    word = min(words, key=lambda one: _distance(one[0], name))
    if _distance(word[0], name) <= MAX_DISTANCE_SHARE * len(name):
        yield translation[: word.start()] + name + translation[word.end() :]


def _distance(word: str, name: str) -> int:
    """The least number of letters to insert, delete or replace."""
    row = list(range(len(name) + 1))
    for i, letter in enumerate(word, 1):
        left, row[0] = row[0], i
        for j, other in enumerate(name, 1):
            left, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, left + (letter != other))
    return row[-1]
