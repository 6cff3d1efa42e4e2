"""Padding buckets: a small number of batch shapes that fit all windows with little padding.

N source tokens, T target tokens, W windows, C different pairs of lengths, K shapes.

A shape is a rectangle (N, T). A window is padded to the smallest shape that holds it, and costs
N + T tokens there. The shapes are found in two steps. Starting from one shape for all windows, the
shape whose split saves most tokens is split repeatedly. Then the edges of all shapes are moved
while that reduces the cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Lengths = NDArray[np.int64]
MOVES_TOKENS = (-32, -16, -8, -4, -2, -1, 1, 2, 4, 8, 16, 32)
"""The moves of an edge that are tried, in tokens."""

MIN_GAIN_SHARE = 1e-3
"""Edges are moved until one round reduces the cost by less than this share."""


@dataclass(frozen=True)
class Shape:
    """The shape to which a batch is padded: rows, source tokens, target tokens."""

    rows: int
    source: int
    target: int


def choose_shapes(
    source: Lengths, target: Lengths, tokens: int, count: int
) -> tuple[list[Shape], Lengths]:
    """At most `count` shapes of at most `tokens` target tokens, and the shape of each window."""
    pairs, windows = np.unique(np.stack([source, target]), axis=1, return_counts=True)
    cover = _Cover(pairs[0], pairs[1], windows, tokens)
    edges = cover.move_edges(_split_into_shapes(source, target, count))
    which = cover.smallest(edges, source, target)
    used, which = np.unique(which, return_inverse=True)
    shapes = []
    for shape in range(len(used)):
        inside = which == shape
        n, t = int(source[inside].max()), int(target[inside].max())
        shapes.append(Shape(max(1, tokens // t), n, t))
    return shapes, which


@dataclass(frozen=True)
class _Cover:
    """Pairs of lengths with their numbers of windows, and the cost of covering them with shapes."""

    source: Lengths  # (C,)
    target: Lengths  # (C,)
    windows: Lengths  # (C,)
    tokens: int

    def move_edges(self, edges: Lengths) -> Lengths:
        """The shapes (K, 2) with their edges moved while a round of moves reduces the cost."""
        cost = self.cost(edges, self.smallest(edges, self.source, self.target))
        while True:
            before = cost
            for shape in range(len(edges)):
                edges, cost = self._move(edges, shape, cost)
            if cost > before * (1 - MIN_GAIN_SHARE):
                return edges

    def _move(self, edges: Lengths, shape: int, cost: float) -> tuple[Lengths, float]:
        """Move the edges of one shape; the costs in the other shapes are computed only once."""
        others = np.delete(np.arange(len(edges)), shape)
        if not len(others):
            return edges, cost
        costs = _costs(edges[others], self.source, self.target)
        at = costs.argmin(1)
        cheapest, elsewhere = costs[np.arange(len(at)), at], others[at]
        for axis in (0, 1):
            for move in MOVES_TOKENS:
                moved = edges.copy()
                moved[shape, axis] = max(1, moved[shape, axis] + move)
                here = _costs(moved[shape : shape + 1], self.source, self.target)[:, 0]
                if (np.minimum(here, cheapest) == _DOES_NOT_FIT).any():
                    continue
                found = self.cost(moved, np.where(here <= cheapest, shape, elsewhere))
                if found < cost:
                    edges, cost = moved, found
        return edges, cost

    def cost(self, edges: Lengths, which: Lengths) -> float:
        """The tokens of all batches, including the empty rows in the last batch of each shape."""
        windows = np.bincount(which, weights=self.windows, minlength=len(edges))
        rows = np.maximum(1, self.tokens // edges[:, 1])
        return float((np.ceil(windows / rows) * rows * edges.sum(1)).sum())

    def smallest(self, edges: Lengths, source: Lengths, target: Lengths) -> Lengths:
        """The smallest shape that holds each window."""
        which: Lengths = _costs(edges, source, target).argmin(1)
        return which


_DOES_NOT_FIT = np.iinfo(np.int64).max


def _costs(edges: Lengths, source: Lengths, target: Lengths) -> Lengths:
    """(windows, K): the tokens of a window in each shape, or `_DOES_NOT_FIT`."""
    holds = (source[:, None] <= edges[:, 0]) & (target[:, None] <= edges[:, 1])
    return np.where(holds, edges.sum(1), _DOES_NOT_FIT)


class _Cut(NamedTuple):
    """A division of windows by their length on one axis, and the tokens that it saves."""

    gain: int
    limit: int  # the length of the longest window below the cut
    axis: int  # 0 source, 1 target


class _Group(NamedTuple):
    windows: Lengths
    cut: _Cut


def _split_into_shapes(source: Lengths, target: Lengths, count: int) -> Lengths:
    """The edges (K, 2) of at most `count` groups, by repeated best cuts of groups."""
    groups = [_Group(np.arange(len(source)), _best_cut(source, target))]
    while len(groups) < count:
        best = max(range(len(groups)), key=lambda g: groups[g].cut.gain)
        group = groups[best]
        if not group.cut.gain:
            break
        short = (source, target)[group.cut.axis][group.windows] <= group.cut.limit
        halves = group.windows[short], group.windows[~short]
        groups[best : best + 1] = [_Group(h, _best_cut(source[h], target[h])) for h in halves]
    return np.array([(source[g.windows].max(), target[g.windows].max()) for g in groups])


def _best_cut(source: Lengths, target: Lengths) -> _Cut:
    return max(_Cut(*_cut_along(source, target), 0), _Cut(*_cut_along(target, source), 1))


def _cut_along(along: Lengths, other: Lengths) -> tuple[int, int]:
    """The gain and the limit of the best cut along one axis."""
    order = np.argsort(along, kind="stable")
    a, b = along[order], other[order]
    size = np.arange(1, len(a))
    below = size * (a[:-1] + np.maximum.accumulate(b)[:-1])
    above = size[::-1] * (a[-1] + np.maximum.accumulate(b[::-1])[::-1][1:])
    cost = np.where(a[:-1] < a[1:], below + above, _DOES_NOT_FIT)
    if not len(cost):
        return 0, 0
    at = int(cost.argmin())
    return max(0, int(len(a) * (a[-1] + b.max()) - cost[at])), int(a[at])
