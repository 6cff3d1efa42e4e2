"""Units of an XLIFF file: which sources have no translation yet, and where it is written.

A 1.2 `trans-unit` and a 2.x `segment` are units. A unit whose target is missing or empty, or whose
state says that it is new, is translated. `translate="no"` and the units below it stay. A source
that is cut into `mrk` segments has a passage for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from longways.formats.resources.inline import Dialect, Inline, Role, inline_of
from longways.formats.resources.xml_tree import Node
from longways.formats.text_file import TextFile

_ITEMS = frozenset(["x", "bx", "ex", "ph", "it", "bpt", "ept", "sc", "ec", "sm", "em", "cp"])
"""Inline elements that stand for code; 1.2 has the code itself in some of them."""
_PLACEHOLDER = re.compile(r"[#$%]?\{\{?[^{}<>]{1,60}\}?\}|%(?:\d+\$)?[a-z@]|%\{\w+\}|\[\w+\]")
"""A word that a program fills in, and no line break or tag."""
_NEW = ("new", "needs-translation", "initial")
"""States of targets that are not translations yet."""


@dataclass(slots=True)
class Unit:
    """A source with its target."""

    source: Node
    """The element whose content the target repeats: `source`, or `seg-source`."""
    contents: Sequence[Inline]
    """The words in it, one for each segment."""
    target: Node | None
    stated: Node | None
    """The element with the state, if not the target: the `segment` of 2.x."""
    file: int
    """The number of the `file` that it is in; 2.x has one language for all."""


def units_of(file: TextFile, root: Node, language: str) -> Iterator[Unit | None]:
    """The units that are to be translated; None for one that has a translation."""
    reader = _Reader(file, dialect_of(file.text), language)
    for number, part in enumerate(root.elements("file")):
        if part.attributes.get("translate") != "no":
            yield from _units(reader, part, number)


class _Reader(NamedTuple):
    """What the units of a file share."""

    file: TextFile
    dialect: Dialect
    language: str


def _units(reader: _Reader, parent: Node, number: int) -> Iterator[Unit | None]:
    for node in parent.elements("body", "group", "unit", "trans-unit", "segment"):
        if node.attributes.get("translate") == "no":
            continue
        if node.local in ("trans-unit", "segment"):
            yield from _unit(reader, node, number)
            for part in node.children:
                part.forget_children()
            node.forget_children()
        else:
            yield from _units(reader, node, number)


def _unit(reader: _Reader, node: Node, number: int) -> Iterator[Unit | None]:
    """The unit in a `trans-unit` or `segment`, if its source has words."""
    source = node.first("source")
    if source is None or node.attributes.get("approved") == "yes":
        return
    target, stated = node.first("target"), node if node.local == "segment" else None
    if target and _is_translated(reader.file.text, target, stated):
        yield None
        return
    cut = node.first("seg-source")
    segments = [mrk for mrk in cut.elements("mrk") if _is_segment(mrk)] if cut else []
    parts = [mrk.children for mrk in segments] or [(cut or source).children]
    contents = [inline_of(reader.file, part, reader.dialect, reader.language) for part in parts]
    if found := [content for content in contents if content]:
        yield Unit(cut or source, tuple(found), target, stated, number)


def _is_translated(text: str, target: Node, stated: Node | None) -> bool:
    """Whether a target has a translation, by its state and its content."""
    state = (stated or target).attributes.get("state", "")
    return state not in _NEW and bool(text[target.inner : target.close].strip())


def _is_segment(mrk: Node) -> bool:
    return mrk.attributes.get("mtype") == "seg"


def dialect_of(text: str) -> Dialect:
    """What the inline elements of a file are in its sentences."""

    def said(node: Node) -> str:
        return _said(node, text)

    return Dialect(lambda node: _role(node, said(node)), word=said)


def _role(node: Node, said: str) -> Role:
    if node.local in _ITEMS:
        return "word" if node.local in ("x", "ph") and said else "alone"
    is_kept = node.attributes.get("translate") == "no"
    return "kept" if is_kept or node.attributes.get("mtype") == "protected" else "pair"


def _said(node: Node, text: str) -> str:
    """The placeholder that an item stands for, by its content or what it says of itself."""
    said = [node.attributes.get(name, "") for name in ("equiv-text", "equiv", "disp")]
    said.append(text[node.inner : node.close].strip())
    return next((text for text in said if _PLACEHOLDER.fullmatch(text)), "")
