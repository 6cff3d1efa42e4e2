"""How alike two sentences are, as translators' tools count it: 100 less the share of edits.

Numbers and placeholders count as equal, since a translator only has to exchange them; a sentence
that differs in nothing else has 99.
"""

from __future__ import annotations

import re
import unicodedata

from longways.formats.placeholders import kept_parts
from longways.translation.memory.units import normal

NUMBER, PLACEHOLDER = "0", "\ue000"
"""What stands for a number and for a placeholder in a comparison."""

MAX_CHARACTERS = 2_000
"""The longest text that is compared."""

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")


def folded(text: str) -> str:
    """A text as it is compared: normalised, in lower case, with one sign for each number."""
    return _NUMBER.sub(NUMBER, unicodedata.normalize("NFKC", normal(text)).lower())


def score(one: str, other: str) -> int:
    """How alike two texts are, from 0 to 100; 100 only if they are the same."""
    if normal(one) == normal(other):
        return 100
    ours, theirs = _compared(one), _compared(other)
    longest = max(len(ours), len(theirs), 1)
    return min(99, round(100 * (1 - edits(ours, theirs) / longest)))


def _compared(text: str) -> str:
    parts, place = list[str](), 0
    for start, end in kept_parts(text[:MAX_CHARACTERS]):
        parts += [text[place:start], PLACEHOLDER]
        place = end
    return folded("".join([*parts, text[place:MAX_CHARACTERS]]))


def edits(one: str, other: str) -> int:
    """The Levenshtein distance: insertions, deletions and substitutions of characters.

    Hyyrö's form of Myers' algorithm: a column of the table is two integers, so that each character
    of `other` takes a few operations on numbers of len(one) bits.
    """
    if not one:
        return len(other)
    places: dict[str, int] = {}
    for place, character in enumerate(one):
        places[character] = places.get(character, 0) | 1 << place
    ones, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    rises, falls, distance = ones, 0, len(one)
    for character in other:
        equal = places.get(character, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
        up, down = falls | (ones & ~(diagonal | rises)), rises & diagonal
        distance += ((up & last) != 0) - ((down & last) != 0)
        up, down = (up << 1 | 1) & ones, (down << 1) & ones
        rises, falls = down | (ones & ~(diagonal | up)), up & diagonal
    return distance
