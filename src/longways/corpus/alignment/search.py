"""The best alignment of two sequences, by dynamic programming in a band around the diagonal.

A bead is a run of items of one side with the run of the other side that translates it: one with
one, one with two, two with one, two with two, or one with none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import NamedTuple

PRIORS = {(1, 1): 0.1, (1, 2): 3.1, (2, 1): 3.1, (2, 2): 4.6, (1, 0): 6.0, (0, 1): 6.0}
"""Minus the log-probability of each kind of bead (Gale and Church, rounded); an item without a
translation costs more, since its length says nothing."""
MIN_BAND = 25
"""Items that an alignment may lie off the diagonal, beyond the difference of the lengths."""
MAX_CELLS = 150_000
"""Places of the search, unless the sequences are very long."""

MAX_GAIN = 10.0
"""The most that a bead may be cheaper than nothing, by what its two sides share."""

Cost = Callable[[int, int, int, int], float]
"""The cost of source items [i, j) with target items [k, l), none of them empty."""


class Bead(NamedTuple):
    """Source items [start, end) and target items [start, end); one of them may be empty."""

    source: tuple[int, int]
    target: tuple[int, int]


class _Row(NamedTuple):
    """The places of the search with the same number of source items."""

    first: int
    """The number of target items at its first place."""
    costs: list[float]
    """The cost of the cheapest alignment up to each place; infinite where there is none."""
    sizes: bytearray
    """Its last bead, as an index of `_SIZES`."""

    def cost(self, k: int) -> float:
        place = k - self.first
        return self.costs[place] if 0 <= place < len(self.costs) else inf


_SIZES = tuple(PRIORS)


def best_beads(source: int, target: int, cost: Cost, alone: float = PRIORS[1, 0]) -> list[Bead]:
    """The beads of the cheapest alignment of sequences with these lengths, in order.

    `alone` is the cost of an item without a translation. Time grows with the longer of the two,
    times the width of the band; memory is a byte for each place of the search.
    """
    priors = {**PRIORS, (1, 0): alone, (0, 1): alone}
    widest = max(MIN_BAND, MAX_CELLS // (2 * source + 1))
    band = min(widest, MIN_BAND + abs(source - target))
    rows, found = list[_Row](), list[_Row]()
    for i in range(source + 1):
        middle = round(i * target / source) if source else 0
        first = max(0, middle - band) if source else 0
        last = min(target, middle + band) if source else target
        row = _Row(first, [], bytearray())
        rows = [row, *rows[:2]]  # a bead has at most two source items
        for k in range(first, last + 1):
            total, size = _best_end(rows, i, k, cost, priors) if i or k else (0.0, 0)
            row.costs.append(total)
            row.sizes.append(size)
        found.append(_Row(first, [], row.sizes))
    return _followed(found, source, target, reached=rows[0].cost(target) < inf)


def _best_end(
    rows: Sequence[_Row], i: int, k: int, cost: Cost, priors: Mapping[tuple[int, int], float]
) -> tuple[float, int]:
    """The cost of the cheapest alignment up to items i and k, and the index of its last bead."""
    best, index = inf, 0
    for number, size in enumerate(_SIZES):
        if size[0] >= len(rows):
            continue
        total = rows[size[0]].cost(k - size[1]) + priors[size]
        if total == inf or total - MAX_GAIN >= best:
            continue  # no pair can make up for it
        if size[0] and size[1]:
            total += cost(i - size[0], i, k - size[1], k)
        if total < best:
            best, index = total, number
    return best, index


def _followed(rows: Sequence[_Row], i: int, k: int, *, reached: bool) -> list[Bead]:
    """The beads back from the end; where the band does not reach it, all items stay alone."""
    if not reached:
        return [Bead((n, n + 1), (0, 0)) for n in range(i)] + [
            Bead((i, i), (n, n + 1)) for n in range(k)
        ]
    beads = list[Bead]()
    while i or k:
        size = _SIZES[rows[i].sizes[k - rows[i].first]]
        beads.append(Bead((i - size[0], i), (k - size[1], k)))
        i, k = i - size[0], k - size[1]
    return beads[::-1]
