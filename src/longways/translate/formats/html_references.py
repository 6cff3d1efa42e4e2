"""Character references of HTML: text as a reader sees it, and as it must be written."""

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
_LONGEST = 7
"""Digits of a number that may be a character."""


def read_text(source: str, *, strict: bool = False) -> str:
    """Text of a file as a reader sees it.

    `strict`, as in attributes and in XML: a name that does not end where it should is no reference.
    """
    if "&" in source:
        source = _REFERENCE.sub(_strict if strict else _lenient, source)
    return readable(source)


def readable(text: str) -> str:
    """Text with a mark in place of bytes that are no character, and of control characters."""
    return _UNREADABLE.sub("\ufffd", text)


def unknown_references(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where there are references that HTML does not know: a DTD would have to explain them."""
    if source.find("&", start, end) < 0:
        return
    for match in _NAMED.finditer(source, start, end):
        if f"{match[1]};" not in html5:
            yield match.span()


def escape_text(text: str, *, xml: bool) -> str:
    """Text as it is written between tags."""
    text = readable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\xa0", "&#160;" if xml else "&nbsp;")


def escape_area(text: str, *, xml: bool) -> str:
    """Text as it is written in a text area, without the signs by which code is told."""
    return _SIGN_OF_CODE.sub(_as_number, readable(text).replace("&", "&amp;")).replace(
        "\xa0", "&#160;" if xml else "&nbsp;"
    )


def is_code(source: str) -> bool:
    """Whether the text of a text area, as the file has it, is for machines."""
    return bool(_SIGN_OF_CODE.search(source) or "&lt;" in source or "&gt;" in source)


def escape_value(text: str, quote: str, *, xml: bool) -> str:
    """Text as it is written in an attribute between these quotes."""
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
    """The character of a number; a longer one than any is none, however long it is."""
    return "\ufffd" if len(match[1] or match[2] or "") > _LONGEST else unescape(match[0])
