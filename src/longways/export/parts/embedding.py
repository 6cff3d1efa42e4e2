"""The embedding of tokens and positions in exported graphs.

B windows, T tokens, d model size.
"""

from __future__ import annotations

import math

import numpy as np

from longways.export.graph_builder import Graph, Value
from longways.export.weights import Weights, array
from longways.model.embedding import Embedding


def embed(
    graph: Graph, weights: Weights, embedding: Embedding, tokens: Value, positions: Value
) -> Value:
    """Scaled embeddings of tokens (B, T) plus sinusoids of positions, (B, T) or (T,)."""
    rows = weights.lookup(graph, tokens, array(embedding.tokens.weight))
    scaled = graph.op("Mul", rows, graph.number(embedding.scale))
    table = _sinusoids(graph, *embedding.table.shape)
    return graph.op("Add", scaled, graph.op("Gather", table, positions))


def places(graph: Graph, tokens: Value) -> Value:
    """The positions 0, 1, ... (T,) of tokens (B, T)."""
    start, step = (graph.constant(np.array(n)) for n in (0, 1))
    return graph.op("Range", start, graph.op("Squeeze", graph.size(tokens, 1)), step)


def _sinusoids(graph: Graph, positions: int, dim: int) -> Value:
    """(positions, d): sines in even columns, cosines in odd ones; computed at loading."""
    rows = graph.op("Range", *(graph.number(n) for n in (0, positions, 1)))
    rates = np.exp(np.arange(0, dim, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / dim))
    column = graph.op("Unsqueeze", rows, graph.constant([1]))
    angles = graph.op("Mul", column, graph.constant(rates))
    last = graph.constant([2])
    pair = [graph.op("Unsqueeze", graph.op(kind, angles), last) for kind in ("Sin", "Cos")]
    return graph.reshape(graph.op("Concat", *pair, axis=2), positions, dim)
