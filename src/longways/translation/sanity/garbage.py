"""Garbage: characters that a model spells byte by byte and its source does not have."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\ufffd\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
"""U+FFFD, which stands for an incomplete byte sequence, and control characters but line ends."""


def without_garbage(translation: str, source: str, known: frozenset[str]) -> str:
    """A translation without characters that neither the vocabulary nor the source has.

    A model spells such a character byte by byte, and is wrong: the source does not have it.
    """
    return "".join(
        c
        for c in translation
        if c in source or c.isspace() or (c in known and not _CONTROL.match(c))
    )
