"""Simplified forms of Traditional Chinese text (OpenCC), every character in its place.

OpenCC with the terms of Taiwan may change the length: 程式碼 becomes 代码. A shorter term is filled
up with `FILLER`, which no model reads. A longer one takes the place of a shorter one near it, or is
converted character by character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from longways.text.optional_import import import_optional

FILLER = "\ufdd0"
"""Stands for nothing. It is a code point that no text may contain."""
MAX_RUN = 100
"""Longer runs without a mark are converted character by character."""
MAX_SHIFTED = 12
"""A longer term may shift this many characters until a shorter one follows."""

_HAN = re.compile("[\u3400-\u9fff]")
_MARKS = re.compile(r"(\W+)")


def simplified(sentence: str, unknown: Iterable[str]) -> str:
    """A sentence in Simplified characters if one of the `unknown` ones is Traditional.

    The length does not change.
    """
    rare = "".join(sorted(c for c in unknown if _HAN.match(c)))
    if not rare or _converter("t2s")(rare) == rare:
        return sentence
    single, terms = _converter("t2s")(sentence), _converter("tw2sp")(sentence)
    if len(single) != len(sentence):
        return sentence
    ours, theirs = _MARKS.split(single), _MARKS.split(terms)
    if ours[1::2] != theirs[1::2]:
        return single
    return "".join(_in_place(one, other) for one, other in zip(ours, theirs, strict=True))


def _in_place(single: str, terms: str) -> str:
    """The run of characters with its terms, which take the places of `single`."""
    if single == terms or len(single) > MAX_RUN:
        return single
    found, a, c = "", 0, 0
    for b, d in _anchors(single, terms):
        room = (b - a) - (d - c)
        if room < 0 and b - a <= MAX_SHIFTED and b < len(single):
            continue
        found += terms[c:d] + FILLER * room if room >= 0 else single[a:b]
        a, c = b, d
    return found


def _anchors(single: str, terms: str) -> Iterator[tuple[int, int]]:
    """The places at which both texts have the same two characters or end."""
    matcher = SequenceMatcher(None, single, terms, autojunk=False)
    for a, c, size in matcher.get_matching_blocks():
        if size >= 2 or a == len(single):
            yield a, c
            yield a + size, c + size


@lru_cache
def _converter(name: str) -> Callable[[str], str]:
    convert: Callable[[str], str] = import_optional("opencc").OpenCC(name).convert
    return convert
