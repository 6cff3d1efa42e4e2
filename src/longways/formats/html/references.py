"""HTML character references: decoding and escaping of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5

_REFERENCE = re.compile(
    r"&(?:#(?:[xX](?=[0-9A-Fa-f])0*+([0-9A-Fa-f]*+)|(?=[0-9])0*+([0-9]*+));?"
    r"|([A-Za-z][A-Za-z0-9]{0,40}+);?)"
)
_NAMED = re.compile(r"&([A-Za-z_:][\w:.-]*+);")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff]")
_SIGN_OF_CODE = re.compile("[<>{}=]")
_MAX_DIGITS = 7
"""Longest number of a character reference."""


def read_text(source: str, *, strict: bool = False) -> str:
    """Decode the character references of a text.

    With `strict`, as in attributes and XML, an unterminated name is not a reference.
    """
    if "&" in source:
        source = _REFERENCE.sub(_strict if strict else _lenient, source)
    return readable(source)


def readable(text: str) -> str:
    """Text with U+FFFD in place of invalid bytes and control characters."""
    return _UNREADABLE.sub("\ufffd", text)


def unknown_references(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of references that HTML does not define; only a DTD could."""
    if source.find("&", start, end) < 0:
        return
    for match in _NAMED.finditer(source, start, end):
        if f"{match[1]};" not in html5:
            yield match.span()


def escape_text(text: str, *, xml: bool) -> str:
    """Escape text between tags."""
    text = readable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\xa0", "&#160;" if xml else "&nbsp;")


def escape_area(text: str, *, xml: bool) -> str:
    """Escape text of a text area, and the characters by which code is recognised."""
    return _SIGN_OF_CODE.sub(_as_number, readable(text).replace("&", "&amp;")).replace(
        "\xa0", "&#160;" if xml else "&nbsp;"
    )


def is_code(source: str) -> bool:
    """Whether the raw text of a text area looks like code."""
    return bool(_SIGN_OF_CODE.search(source) or "&lt;" in source or "&gt;" in source)


def escape_value(text: str, quote: str, *, xml: bool) -> str:
    """Escape the value of an attribute between these quotes."""
    text = escape_text(text, xml=xml).replace("\r\n", "\n").replace("\r", "\n")
    escaped = {'"': "&quot;", "'": "&#39;"}[quote]
    return text.replace("\n", "&#10;").replace("\t", "&#9;").replace(quote, escaped)


def _as_number(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def _strict(match: re.Match[str]) -> str:
    if match[3]:
        following = match.string[match.end() : match.end() + 1]
        name = match[0][1:]
        return html5.get(name, match[0]) if name.endswith(";") or following != "=" else match[0]
    return _number(match)


def _lenient(match: re.Match[str]) -> str:
    return unescape(match[0]) if match[3] else _number(match)


def _number(match: re.Match[str]) -> str:
    """The character of a numeric reference; U+FFFD for numbers that are too long."""
    return "\ufffd" if len(match[1] or match[2] or "") > _MAX_DIGITS else unescape(match[0])
