"""Sentential gates as graphs: what a separator does to the past, in all decoder layers.

R rows, T tokens, H heads.

A gate is given as -f, since log sigmoid(f) = -softplus(-f) is what the fused attention wants.
"""

from __future__ import annotations

from longways.export.graph_builder import Graph, Value
from longways.export.parts.rows import Rows, new, past

NOTHING = -200.0
"""A logarithm whose exponential is 0 in float32."""


class Gates:
    """log keep, and write if the gate is of the kind `average`. The state has those to come."""

    def __init__(self, graph: Graph, rows: Rows, layers: int, heads: int, sep: int) -> None:
        self.graph, self.rows, self.layers, self.heads = graph, rows, layers, heads
        both = past(graph, "gates", 1, layers * heads)
        self._past = iter(graph.split(both, [heads] * layers))  # log keep, (R, 1, H) each
        self._coming: list[Value] = []
        one = graph.constant([1])
        self._all_and_one = graph.op("Concat", graph.size(rows.tokens, 1), one, axis=0)
        self._ends = rows.where(rows.tokens, sep, -1.0)  # -1 at separators

    def log_keep(self, closing: Value) -> Value:
        """0, or log sigmoid(f) after a separator, from -f (R, T, H); one call a layer, in order."""
        after = self.graph.op("Mul", self.graph.op("Softplus", closing), self._ends)
        here, coming = self._shift(next(self._past), after)
        self._coming.append(coming)
        return here

    def write(self, closing: Value, index: int) -> Value:
        """(R, T, H): 1 - keep of the start of each token's sentence.

        The state holds 1 - write: a sum that is replaced after a separator and kept elsewhere.
        """
        graph, ones = self.graph, self.rows.filled(1.0, self.heads)
        before = past(graph, f"unwritten.{index}", self.heads, 1, 1)
        keep = graph.op("Sub", ones, graph.op("Sigmoid", closing))
        added = graph.op("Neg", graph.op("Mul", keep, self._ends))
        forget = graph.op("Mul", self._ends, graph.number(-NOTHING))
        fade = self.rows.spread(forget, self.heads)
        after, state = linear_attention(graph, self.heads, ones, ones, added, before, fade)
        new(graph, f"unwritten.{index}", state, self.heads, 1, 1)
        here, _ = self._shift(graph.reshape(before, 0, 1, self.heads), after)
        return graph.op("Sub", ones, here)

    def finish(self) -> None:
        """Give the gates of the tokens to come to the caller."""
        coming = self.graph.op("Concat", *self._coming, axis=2)
        new(self.graph, "gates", coming, 1, self.layers * self.heads)

    def _shift(self, before: Value, after: Value) -> tuple[Value, Value]:
        """What falls on each token, and on the one to come, from what each decides for the next."""
        graph = self.graph
        both = graph.op("Concat", before, after, axis=1)  # (R, T + 1, H)
        here, coming = graph.ops("Split", both, self._all_and_one, count=2, axis=1)
        return here, coming


def linear_attention(
    graph: Graph, heads: int, q: Value, k: Value, v: Value, before: Value, log_keep: Value
) -> tuple[Value, Value]:
    """Forget, remember, read, token after token: what is read, and the state after the last."""
    out, state = graph.ops(
        "LinearAttention",
        *(q, k, v, before, log_keep),
        count=2,
        q_num_heads=heads,
        kv_num_heads=heads,
        update_rule="gated",
        scale=1.0,
    )
    return out, state
