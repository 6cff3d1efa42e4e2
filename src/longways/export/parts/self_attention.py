"""Attention of the encoder in exported graphs.

B windows, N source tokens, H heads, E head size, d = H E model size.
"""

from __future__ import annotations

from longways.attention.layers import SelfAttention
from longways.export.graph_builder import Graph, Value
from longways.export.parts.softmax import softmax_attention
from longways.export.weights import Weights, join


class SoftmaxSelfs:
    """Softmax attention within the window, of all encoder layers."""

    def __init__(
        self, graph: Graph, weights: Weights, layers: list[SelfAttention], lengths: Value
    ) -> None:
        self.graph, self.weights, self.layers, self.lengths = graph, weights, layers, lengths
        self.heads, self.dim = layers[0].heads, layers[0].o.in_features

    def read(self, x: Value, index: int) -> Value:
        """The attention of a layer for x (B, N, d), before its output projection."""
        layer = self.layers[index]
        joined = self.weights.multiply(self.graph, x, *join(layer.q, layer.k, layer.v))
        q, k, v = self.graph.split(joined, [self.dim] * 3)
        return softmax_attention(self.graph, self.heads, q, k, v, self.lengths)[0]
