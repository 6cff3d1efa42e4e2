# ruff: noqa: RUF001 - Russian letters look like Latin ones
"""Whether a sentence is in another language than its side of the corpus.

Its script decides where it can: a longer sentence with hardly a letter of its script is in another
language. Between languages of one script py3langid decides. Short sentences stay: names, commands
and a few words do not identify a language.
"""

from __future__ import annotations

import re
from functools import lru_cache

from longways.text.foreign import is_foreign
from longways.text.languages.codes import main_language
from longways.text.languages.identify import COMPARED, MIN_LOG_ODDS, identifier
from longways.text.scripts import letters_of, scripts_of

MIN_LETTERS = 24
"""Sentences with fewer letters stay."""
MIN_IDENTIFIED_LETTERS = 48
"""Sentences with fewer letters stay, if several languages have their script."""
MIN_SCRIPT_SHARE = 0.05
"""A sentence with a smaller share of letters in its script is in another language."""

_WORDS = re.compile(r"`[^`]*`|[!-~]+")
_CODE = re.compile(r"`|[/\\_=@{}<>]|[!-~]\.[0-9A-Za-z]|--")
"""Code, addresses and names of files, which are in no language."""
_COMMON = {
    "en": "the of and to is in that for with are this be you it not",
    "de": "der die das und ist nicht ein eine mit für von den auf wird werden sie",
    "fr": "le la les des est et une pour dans que vous pas sur avec du",
    "es": "el los las una es para con por del que se en no como su",
    "ru": "и в не на что это с для по как из",
}
MIN_COMMON_WORDS = 3
"""A sentence with this number of the most frequent words of its language is in it."""
_KANA = re.compile("[\u3040-\u30fa]")
_WORD = re.compile(r"[^\W\d_]+")


def is_in_other_language(sentence: str, language: str, other: str) -> bool:
    """Whether a sentence on the side of a language is not in it."""
    language, other = main_language(language), main_language(other)
    text = without_code(sentence)
    letters = sum(map(str.isalpha, text))
    own = letters_of(language)
    if own is None or letters < MIN_LETTERS:
        return False
    if len(own.findall(text)) < MIN_SCRIPT_SHARE * letters:
        return True
    if language == "zh":
        return is_foreign(text, "zh", "en")
    if language == "ja":
        return not _KANA.search(text)
    return letters >= MIN_IDENTIFIED_LETTERS and _is_identified(text, language, other)


def without_code(sentence: str) -> str:
    """A sentence without code, addresses and names of files."""
    return _WORDS.sub(lambda word: " " if _CODE.search(word[0]) else word[0], sentence)


def _is_identified(text: str, language: str, other: str) -> bool:
    """Whether py3langid takes a text for another language of the same script."""
    words = _common_words(language)
    if words and len(words.intersection(map(str.lower, _WORD.findall(text)))) >= MIN_COMMON_WORDS:
        return False
    script = scripts_of(language)[0]
    known = identifier(frozenset({*COMPARED.get(script, ()), language, other}))
    if known is None or language not in known.nb_classes:
        return False
    scores = dict(known.rank(text))
    return bool(max(scores.values()) - scores[language] > MIN_LOG_ODDS)


@lru_cache
def _common_words(language: str) -> frozenset[str]:
    return frozenset(_COMMON.get(language, "").split())
