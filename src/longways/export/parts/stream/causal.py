"""Causal attention of a stream model in exported graphs.

R rows, T tokens of a row, H heads, of them d document heads; D features, E head size, dim model
size.

A row is a sentence: the caches are empty before it, and the sums are what the document has left.
Its first token, `<bos>` or `<sep>`, has position 0. Rows are padded at the end.
"""

from __future__ import annotations

from longways.attention.stream.causal import StreamCausal
from longways.export.graph_builder import INT32, Graph, Value
from longways.export.parts.gates import linear_attention
from longways.export.parts.rows import Rows, new_state, past_state
from longways.export.parts.softmax import softmax_attention
from longways.export.parts.stream.gates import StreamGates, gate_pairs
from longways.export.parts.stream.heads import HeadGroups, widths
from longways.export.weights import AnyLinear, Weights, join
from longways.model.config import ModelConfig


class SentenceCaches:
    """The KV caches of the sentence heads, with room for more tokens than were read.

    The graph returns the keys and values of new tokens alone, which its caller appends. So neither
    caches nor sums are copied at every step. `padding` is 1 where a cache has no token.
    """

    def __init__(
        self, graph: Graph, groups: HeadGroups, tokens: tuple[Value, Value], pad: int
    ) -> None:
        self.graph, self.heads, self.head_dim = graph, groups.near_heads, groups.head_dim
        before = past_state(graph, "padding", "read")
        self.rows = Rows(graph, *tokens, before)
        here = self.rows.where(self.rows.tokens, pad, 1.0)
        self.real = graph.op("Sub", graph.number(1), here)  # (R, T, 1)
        padding = graph.op("Concat", before, graph.reshape(here, 0, 0), axis=1)
        known = graph.op("Sub", graph.number(1), padding)
        self.known = graph.op("Cast", known, to=INT32)  # (R, N + T)
        graph.appended.append("padding")

    def attend(self, index: int, q: Value, k: Value, v: Value) -> Value:
        """Attend from q (R, T, H E) to the cache of a layer and to the tokens k, v themselves."""
        graph, sizes = self.graph, (self.heads, "read", self.head_dim)
        cached = [past_state(graph, f"{name}.{index}", *sizes) for name in ("keys", "values")]
        for name, value in (("keys", k), ("values", v)):
            new_state(graph, f"{name}.{index}", value, "tokens", self.heads * self.head_dim)
            graph.appended.append(f"{name}.{index}")
        return softmax_attention(graph, self.heads, q, k, v, self.known, cached)[0]


class StreamCausals:
    """Attention to the sentence so far, and to the target so far, of all decoder layers."""

    def __init__(
        self,
        graph: Graph,
        weights: Weights,
        layers: list[StreamCausal],
        tokens: tuple[Value, Value],
        config: ModelConfig,
    ) -> None:
        self.graph, self.weights = graph, weights
        self.groups = [HeadGroups(graph, layer) for layer in layers]
        first = self.groups[0]
        self.heads, self.features = first.heads, first.features_count
        self.caches = SentenceCaches(graph, first, tokens, config.pad)
        self.rows, self.real, self.gate = self.caches.rows, self.caches.real, config.stream.gate
        self.ones = self.rows.filled(1.0, self.heads)
        self.open = self.rows.filled(0.0, self.heads)
        arguments = graph, self.rows, len(layers), self.heads, config.sep, self.real
        self.gates = None if self.gate == "none" else StreamGates(*arguments)

    def read(self, x: Value, index: int) -> Value:
        """The attention of a layer for x (B, T', dim), before its output projection."""
        graph, groups, layer = self.graph, self.groups[index], self.groups[index].layer
        linears: list[AnyLinear] = [
            *(groups.near(linear) for linear in (layer.q, layer.k, layer.v)),
            *(groups.features(linear) for linear in (layer.q, layer.k)),
            groups.far(layer.v),
            *([gate_pairs(layer.f)] if self.gates else []),
        ]
        joined = self.weights.multiply(graph, x, *join(*linears))
        sizes = widths(linears)
        joined = self.rows.to_rows(joined, sum(sizes))
        near_and_qk = sum(sizes[3:5])
        q, k, v, qk, far_v, *closing = graph.split(joined, [*sizes[:3], near_and_qk, *sizes[5:]])
        near = self.caches.attend(index, q, k, v)
        far = self._read_document(qk, far_v, closing, index)
        both = graph.op("Concat", near, far, axis=2)
        return self.rows.to_windows(both, groups.near_dim + groups.far_dim)

    def finish(self) -> None:
        """Add the outputs of the gates."""
        if self.gates:
            self.gates.finish()

    def _read_document(self, qk: Value, v: Value, closing: list[Value], index: int) -> Value:
        """Update the sums of a layer and read them: (R, T, d E)."""
        graph, groups = self.graph, self.groups[index]
        width, log_keep = self.heads * self.features, self.open
        phi_q, phi_k = graph.split(groups.phi.of_rows(qk, self.rows), [width, width])
        if self.gates:
            log_keep = self.gates.log_keep(closing[0])
        if self.gates and self.gate == "average":
            phi_k = self._weigh(phi_k, self.gates.write(closing[0], index))
        phi_k = graph.op("Mul", phi_k, self.real)
        out = self._sum("S", index, groups.head_dim, (phi_q, phi_k, v, log_keep))
        norm = self._sum("z", index, 1, (phi_q, phi_k, self.ones, log_keep))
        norm = graph.reshape(norm, 0, 0, self.heads, 1)
        norm = graph.op("Max", norm, graph.number(groups.phi.floor))
        heads = graph.reshape(out, 0, 0, self.heads, groups.head_dim)
        return self.rows.to_rows(graph.op("Div", heads, norm), groups.far_dim)

    def _weigh(self, phi_k: Value, write: Value) -> Value:
        graph = self.graph
        by_head = graph.reshape(phi_k, 0, 0, self.heads, self.features)
        weighed = graph.op("Mul", by_head, graph.reshape(write, 0, 0, self.heads, 1))
        return self.rows.to_rows(weighed, self.heads * self.features)

    def _sum(self, name: str, index: int, dim: int, inputs: tuple[Value, ...]) -> Value:
        """The recurrent form of one sum (R, d, D, dim), whose state is carried."""
        q, k, v, log_keep = inputs
        name, sizes = f"{name}.{index}", (self.heads, self.features, dim)
        before = past_state(self.graph, name, *sizes)
        out, after = linear_attention(self.graph, self.heads, q, k, v, before, log_keep)
        new_state(self.graph, name, after, *sizes)
        self.graph.in_place.append(name)
        return out
