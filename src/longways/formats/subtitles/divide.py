# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Dividing a text in proportion, over several cues or over the lines of one cue.

The text is cut after nearby punctuation, else at a space, or between any two characters of a script
without spaces. Ranges to keep are not cut.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from longways.formats.subtitles.marks import Span
from longways.formats.subtitles.turns import DASH

WIDTH, WIDTH_WITHOUT_SPACES = 42, 20
"""Characters of a line that is easy to read, in scripts with and without spaces between words."""

_WIDE = re.compile(
    "[\u2e80-\u2fdf\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef“”‘’…—\U00020000-\U0003ffff]"
)
_NO_START = frozenset(
    "，、；：。！？…—”’」』）】》〉〕〗％ー々,;:.!?)]}%·ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
_NO_END = frozenset("“‘「『（【《〈〔〖([{$￥")
_JOINER = "\u200d"
_WORTH = dict.fromkeys("。！？.!?…；;", 0.4) | dict.fromkeys("，、：,:—”’」』）)》", 0.3)
"""Bonus of a cut after these characters, as a share of the part's length."""
_SPACE_WORTH = 0.1


class Cut(NamedTuple):
    """A place where a text may be cut; a space there belongs to neither part."""

    end: int
    start: int
    worth: float


def divide(text: str, shares: Sequence[float], keep: Sequence[Span]) -> list[Span]:
    """Divide a text into one part per share, without the spaces at the cuts.

    Every part has some text if there are enough places to cut; else the last ones are empty.
    """
    cuts = _cuts(text, keep) if len(shares) > 1 else []
    used = min(len(shares), len(cuts) + 1) if text else 0
    parts, start, first = list[Span](), 0, 0
    left = sum(shares[:used])
    for number in range(used - 1):
        rest = len(text) - start
        due = start + rest * (shares[number] / left if left > 0 else 1 / (used - number))
        at = _best(cuts, first, len(cuts) - (used - 2 - number), due, rest / (used - number))
        parts.append((start, cuts[at].end))
        start, first = cuts[at].start, at + 1
        left -= shares[number]
    whole = [(start, len(text))] if used else []
    return parts + whole + [(len(text), len(text))] * (len(shares) - used)


def wrap(text: str, part: Span, lines: int, spaced: bool, keep: Sequence[Span]) -> list[Span]:
    """Wrap the text of a cue into at most `lines` lines of similar length."""
    begin, end = part
    width = WIDTH if spaced else WIDTH_WITHOUT_SPACES
    needed = min(lines, -(-(end - begin) // width))
    if needed < 2:
        return [part]
    inside = [(a - begin, b - begin) for a, b in keep if a < end and b > begin]
    found = divide(text[begin:end], [1] * needed, inside)
    return [(begin + a, begin + b) for a, b in found if a < b]


def _best(cuts: Sequence[Cut], first: int, last: int, due: float, size: float) -> int:
    """Index of the best cut in [first, last) for a part that should end at `due`."""
    near = bisect_left(cuts, due - size / 2, first, last, key=lambda cut: cut.end)
    far = bisect_left(cuts, due + size / 2, near, last, key=lambda cut: cut.end)
    near, far = max(first, near - 1), min(last, far + 1)
    return min(range(near, far), key=lambda i: abs(cuts[i].end - due) / size - cuts[i].worth)


def _cuts(text: str, keep: Sequence[Span]) -> list[Cut]:
    """All places where a text may be cut, in order."""
    cuts, kept, number = list[Cut](), [*keep, (len(text), len(text))], 0
    for place in range(1, len(text) - 1 + (not text.endswith(" "))):
        while kept[number][1] <= place and number < len(kept) - 1:
            number += 1
        after = place + (text[place] == " ")
        if kept[number][0] < after and place < kept[number][1]:
            continue
        if _may_cut(text, place, after):
            worth = _WORTH.get(text[place - 1], _SPACE_WORTH if after > place else 0.0)
            cuts.append(Cut(place, after, worth))
    return cuts


def _may_cut(text: str, place: int, after: int) -> bool:
    """Whether a text may be cut at a place; what follows must not look like a new speaker."""
    last, following = text[place - 1], text[after : after + 1]
    if not following or last == " " or following in _NO_START or last in _NO_END:
        return False
    if after == place and not (_WIDE.match(last) or _WIDE.match(following)):
        return False
    if following == _JOINER or last == _JOINER or unicodedata.category(following)[0] == "M":
        return False
    return not DASH.match(text, after) and not following.isspace()
