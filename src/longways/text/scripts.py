"""Whether a text can be in a language at all, judged by the script of its letters."""

from __future__ import annotations

import re

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

ENOUGH = 20
"""Letters without which nothing is said of a text."""
SHARE = 0.2
"""Of letters in the language's script, below which a text is hardly in the language."""


def script_share(text: str, language: str) -> float | None:
    """The share of letters in a script of the language; None if too few, or it is not known."""
    scripts = _OF_LANGUAGE.get(re.split("[-_]", language)[0].lower())
    letters = sum(map(str.isalpha, text))
    if scripts is None or letters < ENOUGH:
        return None
    own = re.compile(f"[{''.join(_SCRIPTS[name] for name in scripts)}]")
    return min(1.0, len(own.findall(text)) / letters)


def language_warning(name: str, text: str, language: str) -> str | None:
    """A sentence if a text is hardly in the language that a model translates from."""
    share = script_share(text, language)
    if share is None or share >= SHARE:
        return None
    return (
        f"{name} is hardly in the language that this model translates from, {language!r}: of its "
        f"letters only {share:.0%} are in that script. It is translated all the same."
    )
