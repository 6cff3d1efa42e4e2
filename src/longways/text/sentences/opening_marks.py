# ruff: noqa: RUF001 - full-width brackets look like ASCII ones
"""Spacing inside of brackets, quotes and tags, which a model gets wrong.

`Click ( OK)` becomes `Click (OK)`, unless the source has a space at such a place too. A model that
reads full-width brackets, or tags without spaces beside them, adds such spaces.
"""

from __future__ import annotations

import re

_SPACE_INSIDE = re.compile(r"[(\[{（［｛【〔「『《“‘\"][ \t\u00a0]")
_OPENED = re.compile(r"(?<![^\s(\[{\"'])([(\[{])[ \u00a0]+(?=\S)")
_QUOTED = re.compile(r'(?<!\S)" ([^"\s][^"]*")')

_ELEMENT = re.compile(
    r"(?P<start><(?P<name>[A-Za-z][\w-]*)(?:\s[^<>\n]{0,500})?>)(?P<before> *)"
    r"(?P<text>[^<>\s](?:[^<>\n]*[^<>\s])?)(?P<after> *)(?P<end></(?P=name)>)"
)
"""An element of HTML that holds text only."""


def without_space_inside_tags(translation: str, source: str) -> str:
    """The translation without spaces between tags and the text in them, if its source has none."""
    if "</" not in source:
        return translation

    def spaced(element: re.Match[str]) -> str:
        start, end = element["start"], element["end"]
        before = element["before"] if f"{start} " in source else ""
        after = element["after"] if f" {end}" in source else ""
        return f"{start}{before}{element['text']}{after}{end}"

    return _ELEMENT.sub(spaced, translation)


def without_space_after_opening(translation: str, source: str) -> str:
    """The translation without spaces after opening marks, if its source has none."""
    if _SPACE_INSIDE.search(source):
        return translation
    translation = _OPENED.sub(r"\1", translation)
    return _QUOTED.sub(r'"\1', translation) if translation.count('"') == 2 else translation
