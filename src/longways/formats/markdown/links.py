"""The addresses of links in Markdown: inline, in definitions and in HTML tags; code has none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.common.utils import unescapeAll
from markdown_it.helpers import parseLinkDestination
from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.formats.html.links import Change, LinkEdit, html_link_edits
from longways.formats.markdown.blocks import MarkdownBlock, read_blocks
from longways.formats.markdown.format import MarkdownSource
from longways.formats.markdown.hidden.masking import front_matter_end, hide_templates
from longways.formats.markdown.inline import Range, place_of
from longways.formats.markdown.rules import parser

_LABEL_END = re.compile(r"\]:[ \t]*\n?[ \t>]*")


def edit_markdown_links(data: bytes, encoding: str | None, change: Change) -> bytes:
    """The file with some addresses changed; all other bytes stay the same."""
    source = MarkdownSource(data, "", encoding)
    place, parts = 0, list[str]()
    for start, end, new in sorted(_edits(source.text, change)):
        parts += source.cut(place, start), new
        place = end
    text = "".join([*parts, source.cut(place, len(source.text))])
    return source.file.encode(text)


def _edits(text: str, change: Change) -> Iterator[LinkEdit]:
    """The new addresses of a file, which do not overlap."""
    start = front_matter_end(text)
    body, env = text[start:], {"references": dict[str, dict[str, list[int]]]()}
    hidden = hide_templates(body)
    for block in read_blocks(body, hidden, env, []):
        for begin, end, new in _edits_of(block, change, env):
            yield start + block.source_start(begin), start + block.source_end(end), new
    lines = [0, *(match.end() for match in re.finditer("\n", hidden)), len(hidden)]
    for reference in env["references"].values():
        first, after = (lines[min(line, len(lines) - 1)] for line in reference["map"])
        for begin, end, new in _definition(hidden, first, after, change):
            yield start + begin, start + end, new


def _edits_of(block: MarkdownBlock, change: Change, env: EnvType) -> Iterator[LinkEdit]:
    """The new addresses in the text of a block."""
    if block.kind == "html":
        yield from html_link_edits(block.text, change)
        return
    if "](" not in block.text and "<" not in block.text:
        return
    md = parser()
    for token in md.inline.parse(block.hidden, md, env, []):
        start, end = place_of(token)
        if token.type == "html_inline":
            inside = html_link_edits(block.text[start:end], change)
            yield from ((start + first, start + last, new) for first, last, new in inside)
        elif (begin := _address_start(block.hidden, token, (start, end))) is not None:
            yield from _address(block.hidden, begin, end, change)


def _address_start(text: str, token: Token, place: Range) -> int | None:
    """Where the address of a link or an image begins, if it is in this token."""
    start = place[0] + 2 + len(token.content) if token.type == "image" else place[0]
    if token.type in ("image", "link_close") and text.startswith("](", start):
        return start + 2
    return None


def _definition(text: str, start: int, end: int, change: Change) -> Iterator[LinkEdit]:
    """The new address of a link definition in some lines."""
    if label := _LABEL_END.search(text, start, end):
        yield from _address(text, label.end(), end, change)


def _address(text: str, start: int, end: int, change: Change) -> Iterator[LinkEdit]:
    """The new address after some whitespace, if it changes."""
    while start < end and text[start] in " \t\n":
        start += 1
    found = parseLinkDestination(text, start, end)
    if not found.ok or start == found.pos:
        return
    angle = text[start] == "<"
    begin, stop = start + angle, found.pos - angle
    if new := change(text[begin:stop], unescapeAll):
        yield begin, stop, new
