"""A block of HTML in Markdown: it is read and written as an HTML file is."""

from __future__ import annotations

import re

from longways.translate.formats.html_elements import BLOCKS
from longways.translate.formats.html_passages import find_places
from longways.translate.formats.html_places import Place
from longways.translate.formats.html_writing import Style, write_passage, write_value
from longways.translate.formats.markdown_blocks import Block
from longways.translate.formats.markdown_passages import Node
from longways.translate.formats.markdown_sequence import clean
from longways.translate.formats.markdown_tags import SIGN, is_left_alone, tag_places
from longways.translate.formats.markdown_writer import Edits, spliced
from longways.translate.formats.protocol import Passage

_INLINE = rf"(?!(?i:{'|'.join(BLOCKS)})\b)[A-Za-z][\w.-]*"
"""The name of an element that stands in a line of text, or that HTML does not know."""

_PROGRAM = re.compile(r"=\s*\{|=>|\{[`/(]")
"""What is in HTML only if it is a part of a program, as in MDX."""

_TAG_LINE = re.compile(rf"(<({_INLINE})(?:\s[^<>]*)?>)[ \t]*\n")
_END_TAG_LINE = re.compile(rf"\n[ \t]*</{_INLINE}[ \t]*>\s*\Z")


def html_node(block: Block) -> Node:
    """The passages of a block of HTML; those in tags are within the passage of the text."""
    root = Node("block", 0, len(block.text), children=(children := list[Node]()))
    places = [] if _PROGRAM.search(block.text) else _places(block.text)
    around, inside = root, list[Node]()
    for place in places:
        node = Node("html", place.start, place.end, place.passage, place=place)
        if around.passage and place.start < around.end:
            inside.append(node)
            around.children = inside
        else:
            children.append(node)
            around, inside = node, []
    return root


def _places(text: str) -> list[Place]:
    """Where there are passages, if new ones can be written without changing how the block begins.

    A tag that has the first line for itself must keep it, as the last one.
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


def write_html(block: Block, node: Node, new: Passage, edits: Edits, *, both: bool) -> str:
    """A new passage as HTML, in one line, with what is new in the tags within it.

    `both` if the file's own text is to stand beside it.
    """
    place, style = node.place, Style(xml=False, bilingual=False, source_language="")
    assert place  # as of all nodes of HTML
    text = f"{new.text} / {place.passage.text}" if both else new.text
    new = Passage(clean(text).replace("\n", " "), new.marks)
    if place.kind == "value":
        return SIGN.sub(_as_number, write_value(place, new, style))
    return "".join(
        SIGN.sub(_as_number, piece)
        if isinstance(piece, str)
        else spliced(block.text, *piece, edits)
        for piece in write_passage(place, new, style)
    )


def _as_number(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
