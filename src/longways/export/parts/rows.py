"""The tokens that the decoder reads at once, as rows of its state.

B windows, R rows, T tokens of a row.

One graph serves a prefix (a row a window, many tokens) and a step (a row a beam, one token): the
rows are as many as those of the state given. Rows of several lengths are padded at the start, and
the token at position 0 forgets whatever stands before it. A state is zeros before the first token.
"""

from __future__ import annotations

import numpy as np

from longways.export.graph_builder import Graph, Value


class Rows:
    """Tokens and positions (B, T') as (R, T), and the way from one to the other."""

    def __init__(self, graph: Graph, tokens: Value, positions: Value, state: Value) -> None:
        self.graph = graph
        self._count = graph.size(state, 0)
        self._windows = graph.op("Shape", tokens)
        self.tokens, self.positions = self.of(tokens), self.of(positions)

    def of(self, x: Value, *width: int) -> Value:
        """(B, T', ...) -> (R, T, width)."""
        return self.graph.reshape(x, self._count, -1, *width)

    def back(self, x: Value, dim: int) -> Value:
        """(R, T, ...) -> (B, T', dim)."""
        return self.graph.reshape(x, self._windows, dim)

    def where(self, numbers: Value, equal: int, value: float) -> Value:
        """(R, T, 1): a value where numbers (R, T) are equal to one, 0 elsewhere."""
        there = self.graph.op("Equal", numbers, self.graph.constant(np.array(equal)))
        chosen = self.graph.op("Where", there, self.graph.number(value), self.graph.number(0))
        return self.graph.op("Unsqueeze", chosen, self.graph.constant([2]))

    def filled(self, value: float, width: int) -> Value:
        """(R, T, width) of one value."""
        return self.spread(self.graph.number(value), width)

    def spread(self, x: Value, width: int) -> Value:
        """What broadcasts to (R, T, width), as large as that."""
        shape = self.graph.op("Shape", self.tokens)
        full = self.graph.op("Concat", shape, self.graph.constant([width]), axis=0)
        return self.graph.op("Expand", x, full)


def past(graph: Graph, name: str, *sizes: int | str) -> Value:
    """A part of the state as it was."""
    return graph.input(f"past.{name}", np.float32, ["rows", *sizes])


def new(graph: Graph, name: str, value: Value, *sizes: int | str) -> None:
    """The same part as it has become."""
    graph.output(f"new.{name}", value, np.float32, ["rows", *sizes])
