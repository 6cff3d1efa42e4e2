"""Cells of a spreadsheet: equal texts share a passage, and texts that formulas name stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from longways.formats.base import Passage
from longways.formats.office.part import Item

_NAMING = re.compile(
    rb"\s(?:table:formula|table:condition|table:value|calcext:value|style:condition"
    rb"|table:expression)=\"([^\"<]*)\""
)
_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_SHOWN_TEXTS = 3


def named_texts(data: bytes) -> set[str]:
    """Texts that formulas, conditions and filters know cells by, folded."""
    return {text.strip().casefold() for text in _named(data)} - {""}


def _named(data: bytes) -> Iterator[str]:
    for match in _NAMING.finditer(data):
        value = unescape(match[1].decode())
        yield value
        for literal in _LITERAL.findall(value) if '"' in value else ():
            yield literal.replace('""', '"')


def without_named(items: Sequence[Item], named: set[str]) -> tuple[list[Item], list[str]]:
    """The items whose texts nothing names, equal ones as twins, and a warning of the others."""
    first, left, stay = dict[Passage, Item](), list[Item](), list[str]()
    for item in items:
        text = item.passage.text
        if text.strip().casefold() in named:
            stay.append(text)
            continue
        item.twin = item.twin or first.get(item.passage)
        first.setdefault(item.passage, item)
        left.append(item)
    texts = [text for text in dict.fromkeys(stay) if any(map(str.isalpha, text))]
    texts = [text for text in texts if not text.isascii()]
    if not texts:
        return left, []
    more = ", ..." if len(texts) > _SHOWN_TEXTS else ""
    return left, [
        "Texts of cells that formulas, conditions or filters name stay as they are: "
        f"{', '.join(texts[:_SHOWN_TEXTS])}{more} ({len(texts):,} in all)."
    ]
