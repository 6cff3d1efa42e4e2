"""The best alignment of two sequences, by dynamic programming in a band around the diagonal.

A bead is a run of items of one side with the run of the other side that translates it: one with
one, one with two, two with one, two with two, or one with none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

PRIORS = {(1, 1): 0.1, (1, 2): 3.1, (2, 1): 3.1, (2, 2): 4.6, (1, 0): 6.0, (0, 1): 6.0}
"""Minus the log-probability of each kind of bead (Gale and Church, rounded); an item without a
translation costs more, since its length says nothing."""
MIN_BAND = 25
"""Items that an alignment may lie off the diagonal, beyond the difference of the lengths."""
MAX_CELLS = 400_000
"""Places of the search, unless the sequences are very long."""

Cost = Callable[[int, int, int, int], float]
"""The cost of source items [i, j) with target items [k, l), none of them empty."""


class Bead(NamedTuple):
    """Source items [start, end) and target items [start, end); one of them may be empty."""

    source: tuple[int, int]
    target: tuple[int, int]


def best_beads(source: int, target: int, cost: Cost, alone: float = PRIORS[1, 0]) -> list[Bead]:
    """The beads of the cheapest alignment of sequences with these lengths, in order.

    `alone` is the cost of an item without a translation. Time and memory grow with the longer of
    the two, times the width of the band.
    """
    priors = {**PRIORS, (1, 0): alone, (0, 1): alone}
    widest = max(MIN_BAND, MAX_CELLS // (2 * source + 1))
    band = min(widest, MIN_BAND + abs(source - target))
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for i in range(source + 1):
        middle = round(i * target / source) if source else 0
        first = 0 if not source else max(0, middle - band)
        last = target if not source else min(target, middle + band)
        for k in range(first, last + 1):
            if i or k:
                found = _best_end(best, i, k, cost, priors)
                if found:
                    best[i, k] = found
    return _followed(best, source, target)


def _best_end(
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]],
    i: int,
    k: int,
    cost: Cost,
    priors: Mapping[tuple[int, int], float],
) -> tuple[float, tuple[int, int]] | None:
    """The cost of the cheapest alignment up to items i and k, and its last bead."""
    found: tuple[float, tuple[int, int]] | None = None
    for size, prior in priors.items():
        before = best.get((i - size[0], k - size[1]))
        if before is None:
            continue
        total = before[0] + prior
        if size[0] and size[1]:
            if found and total - 20 > found[0]:
                continue
            total += cost(i - size[0], i, k - size[1], k)
        if found is None or total < found[0]:
            found = total, size
    return found


def _followed(
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]], i: int, k: int
) -> list[Bead]:
    """The beads back from the end; where the band does not reach it, all items stay alone."""
    beads = list[Bead]()
    if (i, k) not in best:
        return [Bead((n, n + 1), (0, 0)) for n in range(i)] + [
            Bead((i, i), (n, n + 1)) for n in range(k)
        ]
    while i or k:
        size = best[i, k][1]
        beads.append(Bead((i - size[0], i), (k - size[1], k)))
        i, k = i - size[0], k - size[1]
    return beads[::-1]
