"""The direction of writing: which languages are written from right to left."""

from __future__ import annotations

import re

_LANGUAGES = ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]
_RIGHT_TO_LEFT = frozenset(_LANGUAGES)
_SCRIPTS = re.compile("^(arab|hebr|syrc|thaa|nkoo|adlm|rohg)$")
_OTHER_SCRIPT = re.compile("^[a-z]{4}$")


def is_right_to_left(language: str) -> bool:
    """Whether a language is written from right to left; a script in its tag decides."""
    first, *others = re.split("[-_]", language.lower())
    script = next((part for part in others if _OTHER_SCRIPT.match(part)), None)
    return bool(_SCRIPTS.match(script)) if script else first in _RIGHT_TO_LEFT


def direction(language: str) -> str:
    """`rtl` or `ltr`."""
    return "rtl" if is_right_to_left(language) else "ltr"
