"""Language codes of other tools: `zh_CN`, `chi` and `cmn-Hans` are all Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_SHORT = {
    **{"zho": "zh", "chi": "zh", "cmn": "zh", "eng": "en", "deu": "de", "ger": "de", "rus": "ru"},
    **{"fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl", "dut": "nl"},
    **{"jpn": "ja", "kor": "ko", "ara": "ar", "heb": "he", "iw": "he", "tur": "tr", "pol": "pl"},
    **{"ces": "cs", "cze": "cs", "slk": "sk", "slo": "sk", "ukr": "uk", "vie": "vi", "tha": "th"},
    **{"ind": "id", "in": "id", "msa": "ms", "may": "ms", "hin": "hi", "swe": "sv", "dan": "da"},
    **{"fin": "fi", "nor": "no", "nob": "nb", "hun": "hu", "ell": "el", "gre": "el", "bul": "bg"},
    **{"ron": "ro", "rum": "ro", "hrv": "hr", "srp": "sr", "slv": "sl", "est": "et", "lav": "lv"},
    **{"lit": "lt", "cat": "ca", "fas": "fa", "per": "fa"},
}
"""The codes of two letters for others of the same language."""

_TRADITIONAL = {"hant", "tw", "hk", "mo"}


@lru_cache(maxsize=1000)
def main_language(code: str) -> str:
    """The language of a code, without its region and script, as two letters where it has them."""
    first = re.split("[-_]", code.strip().lower())[0]
    return _SHORT.get(first, first)


def best_code(codes: Sequence[str], language: str) -> str | None:
    """The code in a list that fits a language best; None if none is of this language.

    The same region or script comes first. Of Chinese, simplified comes before traditional unless
    the language is traditional itself.
    """
    fitting = [code for code in codes if main_language(code) == main_language(language)]
    return min(fitting, key=lambda code: _distance(code, language), default=None)


def _distance(code: str, language: str) -> tuple[bool, bool]:
    ours, theirs = _subtags(language), _subtags(code)
    traditional = bool(ours & _TRADITIONAL) != bool(theirs & _TRADITIONAL)
    return traditional, ours != theirs


def _subtags(code: str) -> set[str]:
    return set(re.split("[-_]", code.strip().lower())[1:])
