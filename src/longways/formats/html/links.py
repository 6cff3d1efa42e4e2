"""The addresses of links in HTML: `<a href="page.html">`, `<area href="page.html">`."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from longways.formats.html.attributes import attributes
from longways.formats.html.charset import decode
from longways.formats.html.scanner import Scanner

LinkEdit = tuple[int, int, str]
"""The range of an address in a text, and its new text."""

Change = Callable[[str, Callable[[str], str]], str | None]
"""The new text for the text of an address and a function that decodes it; None keeps it."""


def renamed_page(own: str, change: Change, suffixes: Sequence[str] = ()) -> str | None:
    """The new name of a file that is named by its path, not by an address with escapes.

    It may be named without one of these suffixes, and then is again.
    """
    for suffix in ("", *suffixes):
        if (new := change(own + suffix, str)) and new.endswith(suffix):
            plain = new if "%" in own else unquote(new)
            return plain.removesuffix(suffix) if suffix else plain
    return None


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
