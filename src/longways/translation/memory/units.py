"""Units of a translation memory: a text, its translation, and when two texts are the same."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b
from typing import Literal, NamedTuple

from longways.text.normalisation import INVISIBLE

_SPACELESS = "[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_LOOSE_SPACE = re.compile(f" (?={_SPACELESS})|(?<={_SPACELESS}) ")
_WITHOUT_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))


class Unit(NamedTuple):
    """A sentence or a paragraph with its translation."""

    source: str
    target: str
    before: str = ""
    """The sentence before it in its document; empty if it is not known."""
    created: str = ""
    """The time of its translation, as 20261119T203000Z; empty if it is not known."""
    is_machine: bool = False
    """Whether a machine made the translation and no person has seen it."""
    problems: tuple[str, ...] = ()
    """What a check found wrong with the translation."""


class Match(NamedTuple):
    """What a translation memory has for a sentence."""

    kind: Literal["exact", "fuzzy"]
    """An exact match is taken; a fuzzy one is only shown."""
    score: int
    """How alike the sources are, from 0 to 100."""
    source: str
    """The source in the memory."""
    target: str
    """Its translation."""
    has_conflict: bool = False
    """Whether the memory has another translation that fits as well."""
    is_machine: bool = False
    """Whether a machine made the translation."""


def normal(text: str) -> str:
    """The text by which units are found: composed, on one line, without invisible characters.

    A space beside a Chinese or Japanese character is left out: it comes and goes with line breaks,
    and with the habits of writers.
    """
    composed = unicodedata.normalize("NFC", text.translate(_WITHOUT_INVISIBLE))
    return _LOOSE_SPACE.sub("", " ".join(composed.split()))


def key(*texts: str) -> int:
    """A number of 64 bits, with a sign, for texts."""
    digest = blake2b(digest_size=8)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return int.from_bytes(digest.digest(), "big", signed=True)
