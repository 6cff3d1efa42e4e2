"""The sentential gates of all decoder layers in exported graphs.

R rows, T tokens, H heads.

The input of a gate is -f, since the fused attention takes log sigmoid(f) = -softplus(-f).
"""

from __future__ import annotations

from longways.export.graph_builder import Graph, Value
from longways.export.parts.rows import Rows, new_state, past_state

LOG_ZERO = -200.0
"""A log keep whose exponential is 0 in float32."""


class Gates:
    """log keep, and write for `average` gates. The state has the values for the next token."""

    def __init__(self, graph: Graph, rows: Rows, layers: int, heads: int, sep: int) -> None:
        self.graph, self.rows, self.layers, self.heads = graph, rows, layers, heads
        all_layers = past_state(graph, "gates", 1, layers * heads)
        self._past = iter(graph.split(all_layers, [heads] * layers))  # log keep, (R, 1, H) each
        self._next: list[Value] = []
        one = graph.constant([1])
        self._split_sizes = graph.op("Concat", graph.size(rows.tokens, 1), one, axis=0)
        self._ends = rows.where(rows.tokens, sep, -1.0)  # -1 at separators

    def log_keep(self, closing: Value) -> Value:
        """log sigmoid(f) after a separator, 0 elsewhere, from -f (R, T, H).

        It must be called once for each layer, in order.
        """
        after = self.graph.op("Mul", self._softplus(closing), self._ends)
        here, following = self._shift(next(self._past), after)
        self._next.append(following)
        return here

    def write(self, closing: Value, index: int) -> Value:
        """(R, T, H): 1 - keep at the start of each token's sentence.

        The state has 1 - write: a sum that is replaced after a separator and unchanged elsewhere.
        """
        graph, ones = self.graph, self.rows.filled(1.0, self.heads)
        before = past_state(graph, f"unwritten.{index}", self.heads, 1, 1)
        keep = graph.op("Sub", ones, graph.op("Sigmoid", closing))
        added = graph.op("Neg", graph.op("Mul", keep, self._ends))
        forget = graph.op("Mul", self._ends, graph.number(-LOG_ZERO))
        fade = self.rows.expand(forget, self.heads)
        after, state = linear_attention(graph, self.heads, ones, ones, added, before, fade)
        new_state(graph, f"unwritten.{index}", state, self.heads, 1, 1)
        here, _ = self._shift(graph.reshape(before, 0, 1, self.heads), after)
        return graph.op("Sub", ones, here)

    def finish(self) -> None:
        """Add the output with the gates of the next tokens."""
        following = self.graph.op("Concat", *self._next, axis=2)
        new_state(self.graph, "gates", following, 1, self.layers * self.heads)

    def _softplus(self, closing: Value) -> Value:
        return self.graph.op("Softplus", closing)

    def _shift(self, before: Value, after: Value) -> tuple[Value, Value]:
        """The gates of each token and of the next one, from `after`, the gate after each token."""
        graph = self.graph
        both = graph.op("Concat", before, after, axis=1)  # (R, T + 1, H)
        here, following = graph.ops("Split", both, self._split_sizes, count=2, axis=1)
        return here, following


def linear_attention(
    graph: Graph, heads: int, q: Value, k: Value, v: Value, before: Value, log_keep: Value
) -> tuple[Value, Value]:
    """The recurrent form of linear attention: the outputs, and the state after the last token."""
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
