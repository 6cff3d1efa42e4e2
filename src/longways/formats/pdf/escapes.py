r"""Text as Markdown that is read as this text: signs of Markdown get a backslash."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\\`*\[\]<>$~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|!(?=\[)")
_START = re.compile(r"(?:#{1,6}(?=\s|\Z)|[-+=:|%^](?=\s|[-=:|%^]|\Z)|@)")
_NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s|\Z)")
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>\[\]`*\\\u2e80-\U0003ffff]+")


def escaped(text: str) -> str:
    """A text inside a paragraph."""
    parts, last = list[str](), 0
    for address in _ADDRESS.finditer(text):
        parts += _SIGNS.sub(r"\\\g<0>", text[last : address.start()]), address[0]
        last = address.end()
    return "".join([*parts, _SIGNS.sub(r"\\\g<0>", text[last:])])


def escaped_start(markdown: str) -> str:
    """Markdown of a paragraph whose first signs begin no heading, list or rule."""
    if _START.match(markdown):
        return "\\" + markdown
    return _NUMBER_START.sub(r"\1\\\2", markdown, count=1) if markdown[:1].isdigit() else markdown


def code_span(text: str) -> str:
    """A code span with this text."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code_block(text: str) -> str:
    """A fenced block with this code."""
    longest = max((len(ticks) for ticks in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}"
