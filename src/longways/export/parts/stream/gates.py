"""The gates of causal document heads in exported graphs.

R rows, T tokens, d document heads.

They are the gates of `parts/gates.py`, with three differences. Rows are padded at the end, and a
state before position 0 is what the document has left, not zeros. And softplus(-f) is computed as
the log of a sum of two exponentials: ONNX Runtime's Softplus gives the last numbers of an array
other bits than the rest, so that a document's state would depend on its batch. The input of a gate
is the pair (-f, 0).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from longways.export.graph_builder import INT32, Graph, Value
from longways.export.parts.gates import Gates
from longways.export.parts.rows import Rows, new_state
from longways.export.weights import Linear


class StreamGates(Gates):
    """log keep, and write for `average` gates, of rows padded at the end."""

    def __init__(
        self, graph: Graph, rows: Rows, layers: int, heads: int, sep: int, real: Value
    ) -> None:
        super().__init__(graph, rows, layers, heads, sep)
        self._real = real  # (R, T, 1)

    def log_keep(self, closing: Value) -> Value:
        """log sigmoid(f) after a separator, 0 elsewhere and on padding, from (R, T, 2 d)."""
        return self.graph.op("Mul", super().log_keep(closing), self._real)

    def write(self, closing: Value, index: int) -> Value:
        """(R, T, d): 1 - keep at the start of each token's sentence."""
        first = self.graph.op(
            "Gather", self._pairs(closing), self.graph.constant(np.array(0)), axis=3
        )
        return super().write(first, index)

    def finish(self) -> None:
        """Add the output with the gate after the last token of each row."""
        graph, width = self.graph, self.layers * self.heads
        both = graph.op("Concat", *self._next, axis=2)  # (R, T + 1, L d)
        lengths = graph.op("ReduceSum", self._real, graph.constant([1]))  # (R, 1, 1)
        lengths = graph.op("Cast", lengths, to=INT32)
        zero, one = (graph.constant(np.array(n)) for n in (0, 1))
        count = graph.op("Squeeze", graph.size(both, 1))
        places = graph.op("Cast", graph.op("Range", zero, count, one), to=INT32)
        there = graph.op("Equal", graph.reshape(places, 1, -1, 1), lengths)
        chosen = graph.op("Where", there, both, graph.number(0))
        following = graph.op("ReduceSum", chosen, graph.constant([1]))
        new_state(graph, "gates", following, 1, width)

    def _pairs(self, closing: Value) -> Value:
        return self.graph.reshape(closing, 0, 0, self.heads, 2)

    def _softplus(self, closing: Value) -> Value:
        """log(exp(-f) + exp(0))."""
        last = self.graph.constant([3])
        return self.graph.op("ReduceLogSumExp", self._pairs(closing), last, keepdims=0)

    def _shift(self, before: Value, after: Value) -> tuple[Value, Value]:
        """The gates of each token, and of all tokens and the next one (R, T + 1, d)."""
        both = self.graph.op("Concat", before, after, axis=1)
        return self.graph.ops("Split", both, self._split_sizes, count=2, axis=1)[0], both


def gate_pairs(f: nn.Linear) -> Linear:
    """The linear map to the pairs (-f, 0) of every head, which `StreamGates` needs."""
    weight, bias = (torch.stack([-x, torch.zeros_like(x)], 1) for x in (f.weight, f.bias))
    return Linear(weight.flatten(0, 1), bias.flatten())
