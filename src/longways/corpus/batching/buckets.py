"""Few shapes for many windows: how batches are padded.

N source tokens, T target tokens, W windows, C different pairs of lengths, K shapes.

A shape is a rectangle (N, T). A window goes to the smallest shape that holds it, and costs N + T
tokens there. The shapes are found in two steps: starting from one for all windows, the shape whose
windows gain most is cut in two, again and again; then the edges of all shapes are moved as long as
that helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Lengths = NDArray[np.int64]
MOVES = (-32, -16, -8, -4, -2, -1, 1, 2, 4, 8, 16, 32)
"""Tokens by which an edge may be moved at once."""

ENOUGH = 1e-3
"""Moving edges ends when a round gains less than this share."""


@dataclass(frozen=True)
class Shape:
    """What a batch is padded to."""

    rows: int
    source: int
    target: int


def choose_shapes(
    source: Lengths, target: Lengths, tokens: int, count: int
) -> tuple[list[Shape], Lengths]:
    """At most `count` shapes of at most `tokens` target tokens, and the shape of each window."""
    pairs, windows = np.unique(np.stack([source, target]), axis=1, return_counts=True)
    cover = _Cover(pairs[0], pairs[1], windows, tokens)
    edges = cover.move_edges(_cut_apart(source, target, count))
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
    """Pairs of lengths, how many windows have each, and what it costs to cover them with shapes."""

    source: Lengths  # (C,)
    target: Lengths  # (C,)
    windows: Lengths  # (C,)
    tokens: int

    def move_edges(self, edges: Lengths) -> Lengths:
        """The shapes (K, 2) with their edges moved until a round of moves gains nearly nothing."""
        cost = self.cost(edges, self.smallest(edges, self.source, self.target))
        while True:
            before = cost
            for shape in range(len(edges)):
                edges, cost = self._move(edges, shape, cost)
            if cost > before * (1 - ENOUGH):
                return edges

    def _move(self, edges: Lengths, shape: int, cost: float) -> tuple[Lengths, float]:
        """The best moves of one shape; what the other shapes cost is looked up only once."""
        others = np.delete(np.arange(len(edges)), shape)
        if not len(others):
            return edges, cost
        prices = _prices(edges[others], self.source, self.target)
        at = prices.argmin(1)
        cheapest, elsewhere = prices[np.arange(len(at)), at], others[at]
        for axis in (0, 1):
            for move in MOVES:
                moved = edges.copy()
                moved[shape, axis] = max(1, moved[shape, axis] + move)
                here = _prices(moved[shape : shape + 1], self.source, self.target)[:, 0]
                if (np.minimum(here, cheapest) == _NEVER).any():
                    continue
                found = self.cost(moved, np.where(here <= cheapest, shape, elsewhere))
                if found < cost:
                    edges, cost = moved, found
        return edges, cost

    def cost(self, edges: Lengths, which: Lengths) -> float:
        """Tokens of all batches, rows that fill up the last batch of a shape included."""
        windows = np.bincount(which, weights=self.windows, minlength=len(edges))
        rows = np.maximum(1, self.tokens // edges[:, 1])
        return float((np.ceil(windows / rows) * rows * edges.sum(1)).sum())

    def smallest(self, edges: Lengths, source: Lengths, target: Lengths) -> Lengths:
        """The smallest shape that holds each window."""
        which: Lengths = _prices(edges, source, target).argmin(1)
        return which


_NEVER = np.iinfo(np.int64).max


def _prices(edges: Lengths, source: Lengths, target: Lengths) -> Lengths:
    """(windows, K): what a window costs in each shape; in one that is too small, a fortune."""
    holds = (source[:, None] <= edges[:, 0]) & (target[:, None] <= edges[:, 1])
    return np.where(holds, edges.sum(1), _NEVER)


class _Cut(NamedTuple):
    """Windows up to the limit on the axis (0 source, 1 target) go apart; tokens gained."""

    gain: int
    limit: int
    axis: int


class _Group(NamedTuple):
    windows: Lengths
    cut: _Cut


def _cut_apart(source: Lengths, target: Lengths, count: int) -> Lengths:
    """The edges (K, 2) of at most `count` groups, each the best cut of a larger one."""
    groups = [_Group(np.arange(len(source)), _best_cut(source, target))]
    while len(groups) < count:
        best = max(range(len(groups)), key=lambda g: groups[g].cut.gain)
        group = groups[best]
        if not group.cut.gain:
            break
        short = (source, target)[group.cut.axis][group.windows] <= group.cut.limit
        parts = group.windows[short], group.windows[~short]
        groups[best : best + 1] = [_Group(p, _best_cut(source[p], target[p])) for p in parts]
    return np.array([(source[g.windows].max(), target[g.windows].max()) for g in groups])


def _best_cut(source: Lengths, target: Lengths) -> _Cut:
    return max(_Cut(*_cut_along(source, target), 0), _Cut(*_cut_along(target, source), 1))


def _cut_along(along: Lengths, other: Lengths) -> tuple[int, int]:
    """The gain and the limit of the best cut along one side."""
    order = np.argsort(along, kind="stable")
    a, b = along[order], other[order]
    size = np.arange(1, len(a))
    below = size * (a[:-1] + np.maximum.accumulate(b)[:-1])
    above = size[::-1] * (a[-1] + np.maximum.accumulate(b[::-1])[::-1][1:])
    cost = np.where(a[:-1] < a[1:], below + above, _NEVER)
    if not len(cost):
        return 0, 0
    at = int(cost.argmin())
    return max(0, int(len(a) * (a[-1] + b.max()) - cost[at])), int(a[at])
