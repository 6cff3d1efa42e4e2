"""Garbage: characters in a translation that its source does not have and that are no text."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\ufffd\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
"""U+FFFD, which stands for an incomplete byte sequence, and control characters but line ends."""
_EDGE = re.compile(r"(?<![^\W_])_+(?=[^\W_])|(?<=[^\W_])_+(?![^\W_])")
"""Underscores at either end of a word, which mark emphasis in plain text."""


def without_garbage(translation: str, source: str, known: frozenset[str]) -> str:
    """A translation without characters that neither the vocabulary nor the source has.

    A model spells such a character byte by byte, and is wrong: the source does not have it. Nor
    has it the emphasis that a model writes for _words_ if its source has no underscore.
    """
    translation = translation if "_" in source else _EDGE.sub("", translation)
    return "".join(
        c
        for c in translation
        if c in source or c.isspace() or (c in known and not _CONTROL.match(c))
    )
