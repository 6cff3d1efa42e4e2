"""The tags of HTML in Markdown: what a reader reads in them, and whether it may be translated."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.translate.formats.html_attributes import attributes, is_translated, read_attributes
from longways.translate.formats.html_places import Place
from longways.translate.formats.html_references import read_text
from longways.translate.formats.html_tokens import Token
from longways.translate.formats.keep import kept_parts
from longways.translate.formats.protocol import Passage

SIGN = re.compile(r"[`$]|\{(?!\w+\})")
"""What Markdown or a template would read in a tag."""


def tag_places(text: str, start: int, end: int, name: str) -> Iterator[Place]:
    """The passages in the attributes of the start tag `text[start:end]`."""
    found = attributes(text, Token("start", start, end, name))
    for begin, stop, quote in read_attributes(text, name, found):
        source = text[begin:stop]
        said = read_text(source, strict=True).strip()
        if quote and said and "\n" not in source and not SIGN.search(source):
            yield Place(Passage(said, (), kept_parts(said)), begin, stop, "value", quote=quote)


def is_left_alone(text: str, start: int, end: int, name: str) -> bool:
    """Whether the start tag `text[start:end]` says that its element must not be translated."""
    return is_translated(text, attributes(text, Token("start", start, end, name))) is False
