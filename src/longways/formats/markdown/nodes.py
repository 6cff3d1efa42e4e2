"""Nodes of a Markdown block: its passages with the markup behind their marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from longways.formats.base import Passage
from longways.formats.html.places import Place
from longways.formats.numbered import numbered
from longways.formats.placeholders import Range, kept_parts

Role = Literal["block", "alt", "title", "html", "value"]
"""`value` is text inside machine-readable text: of a setting, of a shortcode."""


@dataclass(slots=True)
class Markup:
    """The markup of a mark."""

    name: str
    """Name of the HTML tag: em, strong, s, code, a, br, img; others begin with `#`."""
    opening: Range
    closing: Range | None
    """Ranges in the block's text; a standalone item has no closing."""
    parent: int | None
    """Tag of the enclosing markup, if any."""
    html: bool = False


@dataclass(slots=True)
class PassageNode:
    """A passage and its range in the text of its block."""

    role: Role
    start: int
    end: int
    passage: Passage | None = None
    """None without readable text."""
    markups: Mapping[int, Markup] = field(default_factory=lambda: numbered({}))
    children: Sequence[PassageNode] = ()
    label: str | None = None
    """For an alt text that is also a reference label, the label to keep."""
    words: tuple[str, ...] = ()
    """Template tags in the text that stand for words."""
    place: Place | None = None
    """For HTML, its place and tags."""
    write: Callable[[str], str] | None = None
    """For a value, what writes a text of one line as the file has it."""

    def all(self) -> list[PassageNode]:
        """The node and its descendants that have a passage, in reading order."""
        found = [self] if self.passage else []
        return found + [node for child in self.children for node in child.all()]


def value_node(text: str, start: int, end: int, write: Callable[[str], str]) -> PassageNode:
    """The node of a value, `text` without its escapes."""
    said = text.strip()
    passage = Passage(said, (), kept_parts(said)) if said else None
    return PassageNode("value", start, end, passage, write=write)
