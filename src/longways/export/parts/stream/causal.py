"""Causal attention of a stream model in exported graphs.

R rows, T tokens of a row, H heads, of them d document heads; D features, E head size, dim model
size.

A row is a sentence: the caches are empty before it, and the sums are what the document has left.
Its first token, `<bos>` or `<sep>`, has position 0. Rows are padded at the end.
"""

from __future__ import annotations

from longways.attention.stream.causal import StreamCausal
from longways.export.graph_builder import Graph, Value
from longways.export.parts.causal import Caches
from longways.export.parts.gates import linear_attention
from longways.export.parts.rows import new_state, past_state
from longways.export.parts.stream.gates import StreamGates, gate_pairs
from longways.export.parts.stream.heads import HeadGroups, widths
from longways.export.weights import AnyLinear, Weights, join
from longways.model.config import ModelConfig


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
        self.caches = Caches(graph, first.near_heads, first.head_dim, tokens, config.pad)
        self.rows, self.gate = self.caches.rows, config.stream.gate
        self.real = graph.op("Sub", graph.number(1), self.caches.here)  # (R, T, 1)
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
        """Add the outputs of the padding mask and of the gates."""
        self.caches.finish()
        if self.gates:
            self.gates.finish()

    def _read_document(self, qk: Value, v: Value, closing: list[Value], index: int) -> Value:
        """Update the sums of a layer and read them: (R, T, d E)."""
        graph, groups = self.graph, self.groups[index]
        width, log_keep, write = self.heads * self.features, self.open, self.real
        phi_q, phi_k = graph.split(groups.phi.of_rows(qk, self.rows), [width, width])
        if self.gates:
            log_keep = self.gates.log_keep(closing[0])
        if self.gates and self.gate == "average":
            write = graph.op("Mul", write, self.gates.write(closing[0], index))
        by_head = graph.reshape(phi_k, 0, 0, self.heads, self.features)
        weighed = graph.op("Mul", by_head, graph.op("Unsqueeze", write, graph.constant([3])))
        phi_k = self.rows.to_rows(weighed, width)
        out = self._sum("S", index, groups.head_dim, (phi_q, phi_k, v, log_keep))
        norm = self._sum("z", index, 1, (phi_q, phi_k, self.ones, log_keep))
        norm = graph.reshape(norm, 0, 0, self.heads, 1)
        norm = graph.op("Max", norm, graph.number(groups.phi.floor))
        heads = graph.reshape(out, 0, 0, self.heads, groups.head_dim)
        return self.rows.to_rows(graph.op("Div", heads, norm), groups.far_dim)

    def _sum(self, name: str, index: int, dim: int, inputs: tuple[Value, ...]) -> Value:
        """The recurrent form of one sum (R, d, D, dim), whose state is carried."""
        q, k, v, log_keep = inputs
        name, sizes = f"{name}.{index}", (self.heads, self.features, dim)
        before = past_state(self.graph, name, *sizes)
        out, after = linear_attention(self.graph, self.heads, q, k, v, before, log_keep)
        new_state(self.graph, name, after, *sizes)
        return out
