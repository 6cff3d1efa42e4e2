"""Names in Latin letters that a sentence in another script has: EEPROM, MariaDB, getline, umi4.

Every word in Latin letters must arrive, be it a name or a term. An abbreviation may be a plural or
be written as its words, `pull request` for PR, and an ordinary word may have another ending. Text
in Latin script has no such names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longways.text.scripts import letters_of
from longways.translation.glued_words import without_glued_words

MIN_LETTERS = 2
"""A single letter is no name."""
MIN_WORD_LETTERS = 3
"""A word with one capital at its start is a name from this length on."""
MAX_ABBREVIATION_LETTERS = 6
"""Longer abbreviations are not written as their words."""
MAX_DISTANCE_SHARE = 0.5
"""A damaged name differs from the name in at most this share of the name's letters."""
MAX_WORD_DISTANCE_SHARE = 0.25
"""The same for names in small letters, which are more like other words."""
MAX_NAME_LETTERS = 40
"""Longer words are no names."""

_LATIN = re.compile(
    rf"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]{{0,{MAX_NAME_LETTERS - 1}}}(?![A-Za-z0-9_])"
)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "all an and are as at be by can eg etc for from ie if in is it no not of ok on or that "
        "the this to via vs we with you your",
    )
)
"""Words of English quotations, which a translation may say in another way."""
_ENDING = re.compile(r"(?<=\w{3})[esy]$")
"""The last letter of a word that it may lose: merge, merging."""
_VERSION = re.compile(r"[vV]\d*$")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def names_of(source: str, language: str) -> dict[str, re.Match[str]]:
    """The names of a sentence with their first places; a text in Latin script has none."""
    found = dict[str, re.Match[str]]()
    for word in _words(source, language):
        if _is_name(word[0]) or _is_term(word[0]):
            found.setdefault(word[0], word)
    return found


def _words(source: str, language: str) -> Iterator[re.Match[str]]:
    """The words in Latin letters of a sentence in another script."""
    own = letters_of(language)
    is_latin = own is None or own.match("a")
    return iter(()) if is_latin else _LATIN.finditer(source)


def _is_name(word: str) -> bool:
    """Whether a word has a capital letter or a digit."""
    if len(word) < MIN_LETTERS or _VERSION.match(word) or (word.islower() and word.isalpha()):
        return False
    return len(word) >= MIN_WORD_LETTERS or not word[1:].islower()


def _is_term(word: str) -> bool:
    """Whether it is a word in small letters, but none that every English text has."""
    return word.islower() and word.isalpha() and len(word) >= MIN_LETTERS and word not in _COMMON


def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a name in a translation.

    An abbreviation may be a plural and a word may have another ending, but globalParam may not.
    """
    stem, ending = name, ""
    if name.isalpha() and name[1:].islower():
        stem, ending = _ENDING.sub("", name), "[a-z]*"
    elif name[0].isupper():
        ending = "(?:e?s)?"
    return re.compile(rf"(?<![A-Za-z]){re.escape(stem)}{ending}(?![A-Za-z])", re.IGNORECASE)


def missing_names(
    source: str, translation: str, language: str, terms: Sequence[str] = ()
) -> tuple[str, ...]:
    """The names that a translation lacks; those inside glossary `terms` are not looked for."""
    translation = without_glued_words(translation, source)
    arrived = {word[0] for word in _LATIN.finditer(translation)}
    return tuple(
        name
        for name in names_of(source, language)
        if name not in arrived
        and not any(name in term for term in terms)
        and not name_pattern(name).search(translation)
        and not _is_spelled_out(name, translation)
    )


def _is_spelled_out(name: str, translation: str) -> bool:
    """Whether the words stand in a translation whose first letters are the name."""
    if not name.isupper() or not name.isalpha() or len(name) > MAX_ABBREVIATION_LETTERS:
        return False
    initials = r"[a-z]*[\s-]+".join(name.lower())
    return re.search(rf"\b{initials}[a-z]*", translation.lower()) is not None


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
    if _is_like(word[0], name):
        yield translation[: word.start()] + name + translation[word.end() :]


def _is_like(word: str, name: str) -> bool:
    """Whether a word is a damaged name: lls is ls, but is and the are not."""
    share = MAX_WORD_DISTANCE_SHARE if name.islower() else MAX_DISTANCE_SHARE
    distance = _distance(word, name)
    return distance <= share * len(name) or (name in word and distance == 1)


def _distance(word: str, name: str) -> int:
    """The least number of letters to insert, delete or replace."""
    row = list(range(len(name) + 1))
    for i, letter in enumerate(word, 1):
        left, row[0] = row[0], i
        for j, other in enumerate(name, 1):
            left, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, left + (letter != other))
    return row[-1]
