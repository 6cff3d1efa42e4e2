"""Which items of two lists are the same: in order, or moved.

Items that both lists have once are anchors (patience diff); between them the search is repeated.
Time grows with n log n: where nothing is unique, only short stretches are compared item by item.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

Place = tuple[int, int]
"""An item's place in the old list and in the new one."""

_SMALL = 10_000
"""The most pairs of items that are compared one by one."""
_DEEPEST = 24
"""How often a stretch is divided at most."""


class Origin(NamedTuple):
    """Where an item of the new list comes from."""

    old: int
    """Its place in the old list."""
    kind: Literal["same", "moved", "repeated"]
    """In the same order, at another place, or the same as an item that is taken already."""


def matches(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Place]:
    """Places with equal items, both increasing."""
    found = list[Place]()
    waiting = [(0, len(old), 0, len(new), 0)]
    while waiting:
        a, b, c, d, depth = waiting.pop()
        while a < b and c < d and old[a] == new[c]:
            found.append((a, c))
            a, c = a + 1, c + 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
            found.append((b, d))
        if a == b or c == d:
            continue
        anchors = _anchors(old[a:b], new[c:d]) if depth < _DEEPEST else []
        if not anchors and (b - a) * (d - c) <= _SMALL:
            found += ((a + i, c + j) for i, j in _longest(old[a:b], new[c:d]))
        places = [(a - 1, c - 1), *((a + i, c + j) for i, j in anchors), (b, d)]
        found += places[1:-1]
        if anchors:
            waiting += ((i + 1, k, j + 1, m, depth + 1) for (i, j), (k, m) in pairwise(places))
    return sorted(found)


def origins(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Origin | None]:
    """Where each new item comes from; None for one that no old item equals."""
    found: list[Origin | None] = [None] * len(new)
    left = defaultdict[Hashable, deque[int]](deque)
    in_order = matches(old, new)
    taken = {i for i, _ in in_order}
    for i, j in in_order:
        found[j] = Origin(i, "same")
    for i, item in enumerate(old):
        if i not in taken:
            left[item].append(i)
    first = {item: i for i, item in reversed(list(enumerate(old)))}
    for j, item in enumerate(new):
        if found[j] is None and left.get(item):
            found[j] = Origin(left[item].popleft(), "moved")
        elif found[j] is None and item in first:
            found[j] = Origin(first[item], "repeated")
    return found


def gaps(places: Sequence[Place], old: int, new: int) -> Iterator[tuple[range, range]]:
    """The stretches between matches, of lists with these lengths."""
    for (a, c), (b, d) in pairwise([(-1, -1), *places, (old, new)]):
        if b - a > 1 or d - c > 1:
            yield range(a + 1, b), range(c + 1, d)


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Place]:
    """The longest run of items, in order, that both lists have once."""
    counts = Counter(old), Counter(new)
    places = {item: j for j, item in enumerate(new) if counts[1][item] == 1}
    once = [
        (i, places[item]) for i, item in enumerate(old) if counts[0][item] == 1 if item in places
    ]
    return _increasing(once)


def _increasing(pairs: Sequence[Place]) -> list[Place]:
    """The longest run of pairs whose second places increase too."""
    ends, lasts, before = list[int](), list[int](), list[int]()
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(lasts[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        lasts[length : length + 1] = [number]
    found, number = list[Place](), lasts[-1] if lasts else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _longest(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Place]:
    """A longest common subsequence, by comparing all pairs."""
    rows = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            same = old[i] == new[j]
            rows[i][j] = rows[i + 1][j + 1] + 1 if same else max(rows[i + 1][j], rows[i][j + 1])
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
