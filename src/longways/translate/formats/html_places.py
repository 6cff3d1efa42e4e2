"""Where in an HTML file its passages are, and what else is found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from longways.translate.formats.html_attributes import Attribute
from longways.translate.formats.html_line import Tag
from longways.translate.formats.protocol import Passage


@dataclass(frozen=True, slots=True)
class Place:
    """A passage, and where it is in the file: `text[start:end]`."""

    passage: Passage
    start: int
    end: int
    kind: Literal["block", "plain", "area", "value"]
    """Among the tags of a block, where there can be none, in a text area, or in an attribute."""
    tags: tuple[Tag, ...] = ()
    """What the marks stand for, by their numbers."""
    quote: str = ""
    """Around the value of an attribute, if there are any."""


@dataclass(frozen=True)
class Language:
    """An element that says, or should say, which language it is in: from `start` up to `end`."""

    start: int
    end: int
    value: Attribute
    name: str = ""
    """Of the attribute, if it is not there yet."""


@dataclass(frozen=True)
class Found:
    """All that is found in a file."""

    xml: bool
    """Whether it is XHTML, in which any element may be closed at once."""
    places: Sequence[Place]
    """In the order in which they begin."""
    languages: Sequence[Language]
    warnings: Sequence[tuple[int, str]]
    """Where something is wrong, and what."""
