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
    "kana": "\u3040-\u30ff",
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


def is_of_script(character: str, language: str) -> bool:
    """Whether a letter belongs to the script of a language; True for an unknown language."""
    own = letters_of(language)
    return own is None or own.match(character) is not None


_CJK = re.compile(f"[{_SCRIPTS['kana']}{_SCRIPTS['hangul']}{_SCRIPTS['han']}]")


def is_cjk(text: str) -> bool | None:
    """Whether a text has a Chinese, Japanese or Korean letter; None if it has no letter."""
    if not any(map(str.isalpha, text)):
        return None
    return _CJK.search(text) is not None


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
