"""Mean pooling in exported graphs; see `longways.attention.layers.mean_pooling`.

B windows, G key heads, N source tokens, n means, E head size.
"""

from __future__ import annotations

import numpy as np

from longways.attention.layers.mean_pooling import SourcePool
from longways.export.graph_builder import FLOAT, Graph, Value
from longways.export.weights import array


class Pool:
    """Mean pooling in one layer."""

    def __init__(self, graph: Graph, pool: SourcePool) -> None:
        self.graph = graph
        self.queries, self.sharpness = array(pool.queries), np.exp(array(pool.sharpness))
        _, self.means, self.head_dim = self.queries.shape
        self.token_weights: Value = ""
        """The weight (B, G, n, N) of each token in each mean, set by `pool`."""

    def pool(self, k: Value, v: Value, padding: Value, lengths: Value) -> tuple[Value, Value]:
        """Keys and values (B, G, N, E) -> (B, G, n, E); padding (B, N) and lengths (B,)."""
        graph = self.graph
        queries = graph.constant(self.queries[None] * self.head_dim**-0.5)
        matches = graph.op("FusedMatMul", queries, k, transB=1)  # (B, G, n, N)
        sharpness = graph.constant(self.sharpness[None, :, :, None])
        penalties = graph.op("Mul", self._squared_distances(padding, lengths), sharpness)
        masked = graph.op("Unsqueeze", padding, graph.constant([1, 2]))  # (B, 1, 1, N)
        scores = graph.op("Sub", matches, penalties)
        scores = graph.op("Where", masked, graph.number(-np.inf), scores)
        self.token_weights = graph.op("Softmax", scores, axis=-1)
        return graph.op("MatMul", self.token_weights, k), graph.op("MatMul", self.token_weights, v)

    def _squared_distances(self, padding: Value, lengths: Value) -> Value:
        """The squared distance (B, 1, n, N) of each token from each mean."""
        graph = self.graph
        zero, one = (graph.constant(np.array(n)) for n in (0, 1))
        tokens = graph.op("Squeeze", graph.size(padding, 1))
        places = graph.op("Cast", graph.op("Range", zero, tokens, one), to=FLOAT)
        places = graph.op("Add", places, graph.number(0.5))
        count = graph.reshape(graph.op("Cast", lengths, to=FLOAT), -1, 1, 1, 1)
        scaled = graph.op("Mul", places, graph.op("Div", graph.number(self.means), count))
        centres = np.arange(self.means, dtype=np.float32)[:, None] + np.float32(0.5)
        distances = graph.op("Sub", scaled, graph.constant(centres))
        return graph.op("Mul", distances, distances)
