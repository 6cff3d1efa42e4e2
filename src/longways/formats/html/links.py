"""The addresses of links in HTML: `<a href="page.html">`, `<area href="page.html">`."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator

from longways.formats.html.attributes import attributes
from longways.formats.html.charset import decode
from longways.formats.html.scanner import Scanner

LinkEdit = tuple[int, int, str]
"""The range of an address in a text, and its new text."""

Change = Callable[[str, Callable[[str], str]], str | None]
"""The new text for the text of an address and a function that decodes it; None keeps it."""


def edit_html_links(data: bytes, encoding: str | None, change: Change) -> bytes:
    """The file with some addresses changed; all other bytes stay the same."""
    file, place, parts = decode(data, encoding), 0, list[bytes]()
    for start, end, new in html_link_edits(file.text, change):
        parts += file.original(place, start), file.new(new)
        place = end
    return b"".join([file.mark, *parts, file.original(place, len(file.text))])


def html_link_edits(text: str, change: Change) -> Iterator[LinkEdit]:
    """The new addresses of a text, in order."""
    for token in Scanner(text).tokens():
        if token.kind == "start" and token.name in ("a", "area"):
            href = attributes(text, token).get("href")
            if href and (new := change(text[href.start : href.end], html.unescape)):
                yield href.start, href.end, new
