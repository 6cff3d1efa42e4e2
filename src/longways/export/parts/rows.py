"""The tokens of one run of the decoder graph, as rows of its state.

B windows, R rows, T tokens of a row.

One graph serves prefixes (a row for each window, many tokens) and steps (a row for each beam, one
token); R is the number of rows of the given state. Shorter rows are padded at the start, and the
token at position 0 resets the state. A state is zeros before the first token.
"""

from __future__ import annotations

import numpy as np

from longways.export.graph_builder import Graph, Value


class Rows:
    """Tokens and positions (B, T') as rows (R, T), and conversions between the two shapes."""

    def __init__(self, graph: Graph, tokens: Value, positions: Value, state: Value) -> None:
        self.graph = graph
        self._count = graph.size(state, 0)
        self._windows = graph.op("Shape", tokens)
        self.tokens, self.positions = self.to_rows(tokens), self.to_rows(positions)

    def to_rows(self, x: Value, *width: int) -> Value:
        """(B, T', ...) -> (R, T, width)."""
        return self.graph.reshape(x, self._count, -1, *width)

    def to_windows(self, x: Value, dim: int) -> Value:
        """(R, T, ...) -> (B, T', dim)."""
        return self.graph.reshape(x, self._windows, dim)

    def where(self, numbers: Value, equal: int, value: float) -> Value:
        """(R, T, 1): `value` where `numbers` (R, T) are equal to `equal`, 0 elsewhere."""
        there = self.graph.op("Equal", numbers, self.graph.constant(np.array(equal)))
        chosen = self.graph.op("Where", there, self.graph.number(value), self.graph.number(0))
        return self.graph.op("Unsqueeze", chosen, self.graph.constant([2]))

    def filled(self, value: float, width: int) -> Value:
        """A tensor (R, T, width) of one value."""
        return self.expand(self.graph.number(value), width)

    def expand(self, x: Value, width: int) -> Value:
        """x expanded to (R, T, width)."""
        shape = self.graph.op("Shape", self.tokens)
        full = self.graph.op("Concat", shape, self.graph.constant([width]), axis=0)
        return self.graph.op("Expand", x, full)


def past_state(graph: Graph, name: str, *sizes: int | str) -> Value:
    """Add the input of a state array."""
    return graph.input(f"past.{name}", np.float32, ["rows", *sizes])


def new_state(graph: Graph, name: str, value: Value, *sizes: int | str) -> None:
    """Add the output of a state array."""
    graph.output(f"new.{name}", value, np.float32, ["rows", *sizes])
