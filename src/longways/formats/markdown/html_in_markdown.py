"""HTML blocks in Markdown, read and written like HTML files."""

from __future__ import annotations

import re

from longways.formats.base import Passage
from longways.formats.html.elements import BLOCKS
from longways.formats.html.passages import find_places
from longways.formats.html.places import Place
from longways.formats.html.writer import Style, write_passage, write_value
from longways.formats.markdown.blocks import MarkdownBlock
from longways.formats.markdown.inline import SIGN, is_left_alone, tag_places
from longways.formats.markdown.passages import PassageNode
from longways.formats.markdown.sequence import clean
from longways.formats.markdown.writer import Edits, spliced

_INLINE = rf"(?!(?i:{'|'.join(BLOCKS)})\b)[A-Za-z][\w.-]*"
"""Name of an inline or unknown element."""

_PROGRAM = re.compile(r"=\s*\{|=>|\{[`/(]")
"""Syntax of code in HTML, as in MDX."""

_TAG_LINE = re.compile(rf"(<({_INLINE})(?:\s[^<>]*)?>)[ \t]*\n")
_END_TAG_LINE = re.compile(rf"\n[ \t]*</{_INLINE}[ \t]*>\s*\Z")


def html_node(block: MarkdownBlock) -> PassageNode:
    """Passages of an HTML block; attributes are children of the text that contains their tag."""
    root = PassageNode("block", 0, len(block.text), children=(children := list[PassageNode]()))
    places = [] if _PROGRAM.search(block.text) else _places(block.text)
    around, inside = root, list[PassageNode]()
    for place in places:
        node = PassageNode("html", place.start, place.end, place.passage, place=place)
        if around.passage and place.start < around.end:
            inside.append(node)
            around.children = inside
        else:
            children.append(node)
            around, inside = node, []
    return root


def _places(text: str) -> list[Place]:
    """Places of passages, if new text cannot change how the block begins.

    A tag alone on the first line, or on the last, must keep its line.
    """
    first, last = _TAG_LINE.match(text), _END_TAG_LINE.search(text)
    start, end = first.end() if first else 0, last.start() if last else len(text)
    tag = (text, 0, first.end(1), first[2].lower()) if first else None
    if tag and is_left_alone(*tag):
        return []
    inner = " " * start + text[start:end] + " " * (len(text) - end)
    found = [p for p in find_places(inner, "").places if p.quote or p.kind != "value"]
    if found and found[0].start == 0:
        return []
    return [*(tag_places(*tag) if tag else ()), *found]


def write_html(
    block: MarkdownBlock, node: PassageNode, new: Passage, edits: Edits, *, both: bool
) -> str:
    """A new passage as HTML on one line, with edits of the tags within it.

    With `both`, the original text follows.
    """
    place, style = node.place, Style(xml=False, bilingual=False, source_language="")
    assert place  # every HTML node has a place
    text = f"{new.text} / {place.passage.text}" if both else new.text
    new = Passage(clean(text).replace("\n", " "), new.marks)
    if place.kind == "value":
        return SIGN.sub(_as_number, write_value(place, new, style))
    return "".join(
        SIGN.sub(_as_number, fragment)
        if isinstance(fragment, str)
        else spliced(block.text, *fragment, edits)
        for fragment in write_passage(place, new, style)
    )


def _as_number(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
