"""Cross attention of a stream model in exported graphs.

B documents, N source tokens, T target tokens, H heads, of them d document heads; D features, E head
size, dim model size.

The memory of the sentence heads is one sentence. The sums of the document heads are both memory and
carried state: what the next sentence starts from is what this one is translated with.
"""

from __future__ import annotations

import numpy as np

from longways.attention.stream.cross import StreamCross
from longways.export.graph_builder import Graph, Value
from longways.export.parts.cross import Cross, Spec
from longways.export.parts.rows import new_state
from longways.export.parts.softmax import softmax_attention
from longways.export.parts.stream.heads import HeadGroups, read_sums, widths
from longways.export.parts.stream.source import SourceSums
from longways.export.weights import AnyLinear, Weights, join


class StreamCrosses(Cross):
    """Attention to the source sentence that is translated, and to the source so far."""

    source: SourceSums
    """The sums that `remember` adds to; needed in graphs that encode."""

    def __init__(self, graph: Graph, weights: Weights, layers: list[StreamCross]) -> None:
        super().__init__(graph, weights, [*layers])
        self.groups = [HeadGroups(graph, layer) for layer in layers]

    def specs(self) -> dict[str, Spec]:
        """Lengths of sentences, keys and values of sentence heads, sums of document heads."""
        first, found = self.groups[0], dict[str, Spec]()
        features = first.features_count
        found["lengths"] = (np.int32, ["windows"])
        sentence: list[int | str] = ["windows", first.near_heads, "source", first.head_dim]
        for index in range(len(self.groups)):
            for name in ("keys", "values"):
                found[f"source_{name}.{index}"] = (np.float32, sentence)
            for name, shape in (("sums", (features, first.head_dim)), ("norms", (1, features))):
                sizes: list[int | str] = ["windows", 1, first.heads, *shape]
                found[f"{name}.{index}"] = (np.float32, sizes)
        return found

    def source_linears(self, index: int) -> list[AnyLinear]:
        """The linear maps of both groups of heads, and of the gate."""
        return self.groups[index].of_source()

    def remember(self, index: int, projected: list[Value], lengths: Value) -> None:
        """Keys and values of the sentence, and the sums with it."""
        groups, (k, v, far_k, far_v, *f) = self.groups[index], projected
        self.memory["lengths"] = lengths
        for name, x in (("keys", k), ("values", v)):
            self.memory[f"source_{name}.{index}"] = self.split(x, groups.near_heads)
        sizes = groups.features_count, groups.head_dim
        S, z = self.source.add(
            f"{{}}.{index}", groups.phi_of(far_k), groups.split(far_v), f, *sizes
        )
        self.memory[f"sums.{index}"] = self.source.stored(S)
        self.memory[f"norms.{index}"] = self.source.stored(z)

    def read(self, x: Value, index: int) -> Value:
        """Attend to the sentence, and read the sums for each token by itself; see `CrossRFAs`."""
        graph, groups, memory = self.graph, self.groups[index], self.memory
        linears = groups.of_queries()
        joined = self.weights.multiply(graph, x, *join(*linears))
        q, far_q = graph.split(joined, widths(linears))
        k, v = (memory[f"source_{name}.{index}"] for name in ("keys", "values"))
        near = softmax_attention(graph, groups.near_heads, q, k, v, memory["lengths"])[0]
        phi = groups.phi.of_queries(far_q, far_q)  # (B, T, d, 1, D)
        far = read_sums(groups, phi, memory[f"sums.{index}"], memory[f"norms.{index}"])
        return graph.op("Concat", near, graph.reshape(far, 0, 0, groups.far_dim), axis=2)

    def add_carried(self) -> None:
        """Make the sums outputs as a state, in a graph whose memory is no output."""
        for name, (_, (_, *sizes)) in self.specs().items():
            if name.startswith(("sums.", "norms.")):
                new_state(self.graph, name, self.memory[name], *sizes)

    def attention_weights(self, x: Value, index: int) -> Value:
        """The softmax weights (B, H - d, T, N) of the sentence heads."""
        graph, groups = self.graph, self.groups[index]
        k = self.memory[f"source_keys.{index}"]
        q = self.weights.multiply(graph, x, *join(groups.near(self.layers[index].q)))
        scores = graph.op("FusedMatMul", self.split(q, groups.near_heads), k, transB=1)
        scores = graph.op("Mul", scores, graph.number(self.head_dim**-0.5))
        padding = self.padding(graph.size(k, 2), self.memory["lengths"])
        padding = graph.op("Unsqueeze", padding, graph.constant([1, 2]))  # (B, 1, 1, N)
        masked = graph.op("Where", padding, graph.number(-np.inf), scores)
        return graph.op("Softmax", masked, axis=-1)
