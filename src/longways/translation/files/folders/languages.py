"""Languages in the names of files: `page.zh.txt` becomes `page.en.txt`."""

from __future__ import annotations

import re
from typing import NamedTuple


class Languages(NamedTuple):
    """The languages of a translation."""

    source: str
    target: str


def translated_name(name: str, languages: Languages) -> str:
    """`page.zh.txt` and `page.txt` become `page.en.txt`, `page` becomes `page.en`."""
    stem, *parts = name.split(".")
    for place in reversed(range(len(parts))):
        if is_language(parts[place], languages.source):
            parts[place] = languages.target
            return ".".join([stem, *parts])
    parts.insert(max(0, len(parts) - 1), languages.target)
    return ".".join([stem, *parts])


def is_language(part: str, language: str) -> bool:
    """Whether a part of a name is a language; `zh-CN` and `zh_TW` are `zh`."""
    return re.split("[-_]", part)[0].lower() == language.lower()
