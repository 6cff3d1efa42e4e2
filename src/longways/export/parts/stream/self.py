"""Attention of a stream model's encoder in exported graphs.

B documents, N source tokens, d document heads, D features, E head size, dim model size.
"""

from __future__ import annotations

from longways.attention.stream.self import StreamSelf
from longways.export.graph_builder import Graph, Value
from longways.export.parts.rows import new_state
from longways.export.parts.softmax import softmax_attention
from longways.export.parts.stream.heads import HeadGroups, read_sums, widths
from longways.export.parts.stream.source import SourceSums
from longways.export.weights import Weights, join


class StreamSelfs:
    """Attention within the sentence, and to the source so far, of all encoder layers."""

    def __init__(
        self,
        graph: Graph,
        weights: Weights,
        layers: list[StreamSelf],
        lengths: Value,
        sums: SourceSums,
    ) -> None:
        self.graph, self.weights, self.lengths, self.sums = graph, weights, lengths, sums
        self.groups = [HeadGroups(graph, layer) for layer in layers]

    def read(self, x: Value, index: int) -> Value:
        """The attention of a layer for x (B, N, dim), before its output projection."""
        groups = self.groups[index]
        linears = [*groups.of_queries(), *groups.of_source()]
        joined = self.weights.multiply(self.graph, x, *join(*linears))
        q, far_q, *keys = self.graph.split(joined, widths(linears))
        k, v, far_k, far_v, *f = keys
        near = softmax_attention(self.graph, groups.near_heads, q, k, v, self.lengths)[0]
        far = self._read_document(groups.phi_of(far_q), far_k, far_v, f, index)
        return self.graph.op("Concat", near, far, axis=2)

    def _read_document(self, phi_q: Value, k: Value, v: Value, f: list[Value], index: int) -> Value:
        """Read the sums with the sentence in them: (B, N, d E)."""
        graph, groups, features = self.graph, self.groups[index], self.groups[index].features_count
        phi_k, sizes = groups.phi_of(k), (features, groups.head_dim)
        S, z = self.sums.add(f"encoder_{{}}.{index}", phi_k, groups.split(v), f, *sizes)
        for side, value, shape in (("sums", S, sizes), ("norms", z, (1, features))):
            stored = self.sums.stored(value)
            new_state(graph, f"encoder_{side}.{index}", stored, 1, groups.heads, *shape)
        out = graph.op("Transpose", read_sums(groups, phi_q, S, z), perm=[0, 2, 1, 3])
        return graph.reshape(out, 0, 0, groups.far_dim)
