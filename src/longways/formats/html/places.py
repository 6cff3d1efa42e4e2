"""Positions of passages and language attributes in an HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from longways.formats.base import Passage
from longways.formats.html.attributes import Attribute
from longways.formats.html.line import Tag


@dataclass(frozen=True, slots=True)
class Place:
    """A passage and its range in the file: `text[start:end]`."""

    passage: Passage
    start: int
    end: int
    kind: Literal["block", "plain", "area", "value"]
    """In a block with tags, in a block without tags, in a text area, or in an attribute."""
    tags: tuple[Tag, ...] = ()
    """Tags by the number of their mark."""
    quote: str = ""
    """Quote around the value of an attribute, or empty."""


@dataclass(frozen=True)
class Language:
    """An element `text[start:end]` whose language, or direction of writing, is set."""

    start: int
    end: int
    value: Attribute
    name: str = ""
    """Name of the attribute if it must be added."""
    is_direction: bool = False
    """Whether the attribute is `dir`, which is added only for text from right to left."""


@dataclass(frozen=True)
class Found:
    """Passages, language attributes and warnings of a file."""

    xml: bool
    """Whether the file is XHTML, in which any element may be self-closing."""
    places: Sequence[Place]
    """Places in the order of their start."""
    languages: Sequence[Language]
    warnings: Sequence[tuple[int, str]]
    """Offset and text of each warning."""
