"""Scripts: which letters belong to the script of a language, and whether a text fits it."""

from __future__ import annotations

import re
from functools import lru_cache

_SCRIPTS = {
    "latin": "A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff",
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "hebrew": "\u0590-\u05ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff",
    "devanagari": "\u0900-\u097f",
    "thai": "\u0e00-\u0e7f",
    "kana": "\u3040-\u30fa\u30fc-\u30ff",
    "hangul": "\u1100-\u11ff\uac00-\ud7af",
    "han": "\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
}
_LANGUAGES = {
    "latin": "en de fr es it pt nl sv da no nb nn fi is pl cs sk sl hr hu ro et lv lt tr vi id ms",
    "cyrillic": "ru uk be bg mk",
    "greek": "el",
    "hebrew": "he yi",
    "arabic": "ar fa ur",
    "devanagari": "hi mr ne",
    "thai": "th",
    "kana han": "ja",
    "hangul han": "ko",
    "han": "zh yue wuu",
}
_OF_LANGUAGE = {
    code: names.split() for names, codes in _LANGUAGES.items() for code in codes.split()
}


@lru_cache
def letters_of(language: str) -> re.Pattern[str] | None:
    """A pattern of the letters of a language's script; None for an unknown language."""
    scripts = _OF_LANGUAGE.get(re.split("[-_]", language)[0].lower())
    return re.compile(f"[{''.join(_SCRIPTS[name] for name in scripts)}]") if scripts else None


def scripts_of(language: str) -> tuple[str, ...]:
    """The scripts of a language, by its code in lower case; none of an unknown language."""
    return tuple(_OF_LANGUAGE.get(language, ()))


def knows_language(code: str) -> bool:
    """Whether a code, in lower case and without a region, is the one of a known language."""
    return code in _OF_LANGUAGE


def is_of_script(character: str, language: str) -> bool:
    """Whether a letter belongs to the script of a language; True for an unknown language."""
    own = letters_of(language)
    return own is None or own.match(character) is not None


_LETTERS = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}
_WORDS = re.compile("[A-Za-z']{2,}(?:[ ,]+[A-Za-z']{2,})*")
MAX_KANA_SHARE = 0.2
"""Text with more kana than this share of its letters is Japanese."""
MIN_OTHER_LETTERS = 4
"""A line with fewer letters of a script than this is no text in it; Latin lines need words."""


def main_script(text: str) -> str | None:
    """The script of most letters of a text; kana if there is more than a little of it."""
    letters = sum(map(str.isalpha, text))
    counts = {name: len(pattern.findall(text)) for name, pattern in _LETTERS.items()}
    if counts["kana"] > MAX_KANA_SHARE * letters:
        return "kana"
    found = max(counts, key=lambda name: counts[name])
    return found if counts[found] else None


def are_apart(line: str, following: str, words: int = 3) -> bool:
    """Whether two lines are texts in different scripts, such as subtitles in two languages.

    A line in Latin script has at least this many words in a row and no letter of the other script;
    fewer may be a name inside a sentence.
    """
    this, other = main_script(line), main_script(following)
    if this == other == "latin":  # Chinese that names much in Latin letters is Chinese
        this, other = (_han_or_latin(text) for text in (line, following))
    if this is None or other is None or this == other:
        return False
    return _is_text(line, this, other, words) or _is_text(following, other, this, words)


def _han_or_latin(text: str) -> str:
    """Chinese script if a text has enough of it to be a line in it, whatever it names."""
    return "han" if len(_LETTERS["han"].findall(text)) >= MIN_OTHER_LETTERS else "latin"


def _is_text(line: str, own: str, other: str, words: int) -> bool:
    """Whether a line is a text in its script, and none in Chinese script."""
    if own == "latin":
        runs = (len(re.split("[ ,]+", run)) for run in _WORDS.findall(line))
        return max(runs, default=0) >= words and not _LETTERS[other].search(line)
    return own != "han" and sum(map(str.isalpha, line)) >= MIN_OTHER_LETTERS


MIN_LETTERS = 20
"""Shorter texts are not checked."""
MIN_SCRIPT_SHARE = 0.2
"""Below this share of letters in the language's script, a warning is given."""


def script_share(text: str, language: str) -> float | None:
    """Share of letters in the language's script; None for short texts and unknown languages."""
    own, letters = letters_of(language), sum(map(str.isalpha, text))
    if own is None or letters < MIN_LETTERS:
        return None
    return min(1.0, len(own.findall(text)) / letters)


def language_warning(name: str, text: str, language: str) -> str | None:
    """A warning if the script of a text does not fit the source language, else None."""
    share = script_share(text, language)
    if share is None or share >= MIN_SCRIPT_SHARE:
        return None
    return (
        f"{name} is hardly in the language that this model translates from, {language!r}: of its "
        f"letters only {share:.0%} are in that script. It is translated all the same."
    )
