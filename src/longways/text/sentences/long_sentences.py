# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Splitting long sentences: after a clause, else at a space, else between two characters.

No character is lost: the segments joined are the sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from longways.text.sentences.boundaries import CLOSING

_CLAUSE = re.compile(
    rf"(?:[，、；：。！？…—]+[{CLOSING}]*|[,;:.!?][{CLOSING}]*(?=\s)|\s[-–—](?=\s))\s*"
)
_SPACE = re.compile(r"\s+")
_JOINER = "\u200d"

Fits = Callable[[str], bool]
"""Whether a segment is short enough."""


def split_long(sentence: str, fits: Fits) -> list[str]:
    """Split a sentence into segments that fit, each with the whitespace after it.

    The sentence is halved at the best break near its middle, recursively. A single
    character is not cut, whether it fits or not.
    """
    if len(sentence) < 2 or fits(sentence.rstrip()):
        return [sentence]
    place = best_break(sentence)
    return split_long(sentence[:place], fits) + split_long(sentence[place:], fits)


def best_break(sentence: str) -> int:
    """The best offset to split a sentence at; whitespace there belongs to the first segment."""
    low, high = max(1, len(sentence) // 4), len(sentence) - max(1, len(sentence) // 4)
    for pattern in (_CLAUSE, _SPACE):
        ends = (match.end() for match in pattern.finditer(sentence, low, high))
        place = _nearest(ends, sentence)
        if place is not None:
            return place
    within = (p for p in range(low, high + 1) if not _is_inside_character(sentence, p))
    place = _nearest(within, sentence)
    return len(sentence) // 2 if place is None else place


def _nearest(places: Iterable[int], sentence: str) -> int | None:
    middle, stripped = len(sentence) / 2, len(sentence.rstrip())
    good = (place for place in places if 0 < place < stripped)
    return min(good, key=lambda place: abs(place - middle), default=None)


def _is_inside_character(text: str, place: int) -> bool:
    """Whether a split here would cut a grapheme: accents, joined emoji."""
    after = text[place]
    return (
        unicodedata.category(after) in ("Mn", "Me", "Mc")
        or after == _JOINER
        or text[place - 1] == _JOINER
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # the colour of a hand or face
        or after.isspace()
    )
