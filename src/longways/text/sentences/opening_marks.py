# ruff: noqa: RUF001 - full-width brackets look like ASCII ones
"""Spacing after opening brackets and quotes, which a model that reads full-width ones gets wrong.

`Click ( OK)` becomes `Click (OK)`, unless the source has a space at such a place too.
"""

from __future__ import annotations

import re

_SPACE_INSIDE = re.compile(r"[(\[{（［｛【〔「『《“‘\"][ \t\u00a0]")
_OPENED = re.compile(r"(?<![^\s(\[{\"'])([(\[{])[ \u00a0]+(?=\S)")
_QUOTED = re.compile(r'(?<!\S)" ([^"\s][^"]*")')


def without_space_after_opening(translation: str, source: str) -> str:
    """The translation without spaces after opening marks, if its source has none."""
    if _SPACE_INSIDE.search(source):
        return translation
    translation = _OPENED.sub(r"\1", translation)
    return _QUOTED.sub(r'"\1', translation) if translation.count('"') == 2 else translation
