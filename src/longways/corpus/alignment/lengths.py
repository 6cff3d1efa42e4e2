"""How likely two texts are translations of each other, by their lengths and by what they share.

The length model is the one of Gale and Church (1993): the length of a translation varies around
the length of its source, with a variance that grows with it. A Chinese or Japanese character counts
as three letters. Numbers, and names and words in Latin letters, are anchors: most translators copy
them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import NamedTuple

_CJK = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
CJK_LETTERS = 3
"""Letters that say as much as one Chinese or Japanese character."""
VARIANCE = 6.8
"""Variance of the length of a translation, for each letter of the source (Gale and Church)."""
MAX_LENGTH_COST = 20.0
SHARED_GAIN, MAX_GAIN = 1.5, 6.0
"""Reduction of the cost for a shared anchor, and for all of them."""
LONELY_COST, MAX_LONELY_COST = 1.0, 4.0
"""Cost of a number or a name of a program that only one side has, and of all of them."""
_MIN_RATIO = 0.5
"""Estimated ratios of lengths stay between this and its inverse."""
_PRIOR_LETTERS = 500.0
"""Letters of imagined text with the ratio 1: a text that one side of a short page has more does not
change the ratio much."""

_NAME = re.compile(r"[0-9_]|[a-z][A-Z]")
_ANCHOR = re.compile(r"\d+(?:[.,]\d+)*|[A-Za-z_][A-Za-z0-9_]{2,}")


class Measured(NamedTuple):
    """What alignment knows of a text."""

    length: float
    """In letters."""
    anchors: frozenset[str]
    """Numbers, and words in Latin letters, in lower case."""
    names: frozenset[str]
    """The anchors that are numbers of several digits or names, such as getText and max_length."""


def measured(text: str) -> Measured:
    """The length and the anchors of a text."""
    text = unicodedata.normalize("NFKC", text)
    length = len(text) + (CJK_LETTERS - 1) * len(_CJK.findall(text))
    found = _ANCHOR.findall(text)
    names = frozenset(word.lower() for word in found if len(word) > 1 and _NAME.search(word))
    return Measured(length, frozenset(map(str.lower, found)), names)


def joined(texts: list[Measured]) -> Measured:
    """Several texts as one."""
    if len(texts) == 1:
        return texts[0]
    anchors = frozenset[str]().union(*(text.anchors for text in texts))
    names = frozenset[str]().union(*(text.names for text in texts))
    return Measured(sum(text.length for text in texts), anchors, names)


def length_ratio(source: list[Measured], target: list[Measured]) -> float:
    """Letters of a translation for each letter of its source, in two whole texts."""
    lengths = [_PRIOR_LETTERS + sum(text.length for text in side) for side in (source, target)]
    return min(1 / _MIN_RATIO, max(_MIN_RATIO, lengths[1] / lengths[0]))


def match_cost(source: Measured, target: Measured, ratio: float) -> float:
    """Minus the log-likelihood that two texts are translations of each other; may be negative."""
    return length_cost(source.length * ratio, target.length) + _anchor_cost(source, target)


def length_cost(expected: float, found: float) -> float:
    """The cost of a length, by the normal distribution of Gale and Church."""
    mean = max(1.0, (expected + found) / 2)
    deviation = abs(found - expected) / math.sqrt(VARIANCE * mean)
    likelihood = math.erfc(deviation / math.sqrt(2))
    return min(MAX_LENGTH_COST, -math.log(max(likelihood, 1e-30)))


def _anchor_cost(source: Measured, target: Measured) -> float:
    shared = source.anchors & target.anchors
    gain = min(MAX_GAIN, SHARED_GAIN * len(shared))
    lonely = (source.anchors | target.anchors) - shared
    named = (source.names | target.names) & lonely
    return min(MAX_LONELY_COST, LONELY_COST * len(named)) - gain
