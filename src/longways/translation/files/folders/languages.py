"""Languages in the names of files: `page.zh.txt` becomes `page.en.txt`."""

from __future__ import annotations

import re
from typing import NamedTuple

_SCRIPT = "(?:[-_][a-z]{4})?"
_REGION = "(?:[-_](?:[a-z]{2}|[0-9]{3}))?"


class Languages(NamedTuple):
    """The languages of a translation."""

    source: str
    target: str


def translated_name(name: str, languages: Languages) -> str:
    """The name with the target language in place of the source language, or before the suffix.

    `page.zh.txt` and `page.txt` become `page.en.txt`, `zh-CN.yml` becomes `en.yml`, `app_zh.arb`
    becomes `app_en.arb`, and `page` becomes `page.en`.
    """
    found = named_translation(name, languages)
    if found is not None:
        return found
    stem, *parts = name.split(".")
    parts.insert(max(0, len(parts) - 1), languages.target)
    return ".".join([stem, *parts])


def named_translation(name: str, languages: Languages) -> str | None:
    """The name with the target language in place of the source language; None if it has none."""
    stem, *parts = name.split(".")
    for place in reversed(range(len(parts))):
        if is_language(parts[place], languages.source):
            parts[place] = languages.target
            return ".".join([stem, *parts])
    ending = re.compile(rf"(?<![^-_]){_pattern(languages.source)}$", re.IGNORECASE)
    if parts and (match := ending.search(stem)):
        return ".".join([stem[: match.start()] + languages.target, *parts])
    return None


def is_language(part: str, language: str) -> bool:
    """Whether a part of a name is a language; `zh-CN`, `zh_TW` and `zh-Hans-CN` are `zh`."""
    return bool(re.fullmatch(_pattern(language), part, re.IGNORECASE))


def _pattern(language: str) -> str:
    return rf"{re.escape(language)}{_SCRIPT}{_REGION}"
