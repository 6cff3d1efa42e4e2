"""Attributes of blocks and macros in brackets: their style, and their texts for a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longways.formats.asciidoc.blocks import Slot, value_slot

_VALUE = re.compile(
    r"""\s*(?:(?P<name>[\w-]+)\s*=\s*)?
        (?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<bare>[^,]*))\s*(?:,|\Z)""",
    re.VERBOSE | re.DOTALL,
)
READ = frozenset(
    ["alt", "attribution", "caption", "citetitle", "label", "reftext", "summary", "title"]
)
"""Attributes with text for a reader."""
READ_ENTRIES = re.compile(
    r"(?:doctitle|title|description|keywords|reftext|[\w-]+-(?:caption|label|signifier|title))\Z"
)
"""Attributes of the file with text for a reader."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute and its place; a positional one has no name."""

    name: str
    start: int
    end: int
    value: str
    quote: str


def attributes(text: str, start: int, end: int) -> Iterator[Attribute]:
    """The attributes between brackets, in order."""
    place = start
    while place < end and (match := _VALUE.match(text, place, end)):
        group = next(g for g in ("double", "single", "bare") if match[g] is not None)
        quote = {"double": '"', "single": "'"}.get(group, ",")
        yield Attribute(match["name"] or "", *match.span(group), match[group].strip(), quote)
        if match.end() == place:
            return
        place = match.end()


def read_values(text: str, start: int, end: int, positions: tuple[int, ...]) -> list[Slot]:
    """The slots of named attributes for a reader, and of positional ones at places from 0."""
    found, number = list[Slot](), 0
    for attribute in attributes(text, start, end):
        wanted = attribute.name in READ if attribute.name else number in positions
        number += not attribute.name
        if wanted:
            found += value_slot(text, attribute.start, attribute.end, attribute.quote)
    return found
