"""Titles of links, images and definitions of links: `[text](target "title")`."""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it.common.utils import unescapeAll
from markdown_it.helpers import parseLinkDestination, parseLinkTitle

from longways.formats.base import Passage
from longways.formats.markdown.blocks import MarkdownBlock
from longways.formats.markdown.nodes import PassageNode
from longways.formats.placeholders import Range, kept_parts


def definition_node(block: MarkdownBlock) -> PassageNode:
    """The node of a definition, `[label]: target "title"`; one without a target is a comment."""
    root, hidden = PassageNode("block", 0, len(block.text)), block.hidden
    start = _skip(hidden, hidden.find("]:") + 2, len(hidden))
    target = parseLinkDestination(hidden, start, len(hidden))
    if target.ok and target.str not in ("", "#"):
        root.children = list(_titles(block, target.pos, len(hidden)))
    return root


def link_titles(block: MarkdownBlock, place: Range) -> Iterator[PassageNode]:
    """The title in the end `](...)` of a link or an image, if it has one."""
    hidden, (start, end) = block.hidden, place
    if not hidden.startswith("](", start):
        return
    after = _skip(hidden, start + 2, end)
    target = parseLinkDestination(hidden, after, end)
    yield from _titles(block, target.pos if target.ok else after, end)


def _titles(block: MarkdownBlock, place: int, end: int) -> Iterator[PassageNode]:
    """The title that begins at a place, if there is one."""
    begin = _skip(block.hidden, place, end)
    title = parseLinkTitle(block.hidden, begin, end)
    if not title.ok:
        return
    inside = block.text[begin + 1 : title.pos - 1]
    if text := unescapeAll(inside).strip():
        yield PassageNode("title", begin + 1, title.pos - 1, Passage(text, (), kept_parts(text)))


def _skip(text: str, place: int, end: int) -> int:
    while place < end and text[place] in " \t\n":
        place += 1
    return place
