"""Cross attention in exported graphs: the encoder computes the memory, the decoder reads it.

B windows, N source tokens, T target tokens, H heads, G key heads, D features, E head size,
d = H E model size, P inputs of a head's feature map (E, or K if the projection is folded in).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np
from torch import Tensor, nn

from longways.attention.layers import CrossAttention, CrossRFA, CrossSoftmax
from longways.export.graph_builder import INT32, Graph, Value
from longways.export.parts.features import feature_graph
from longways.export.parts.mean_pooling import Pool
from longways.export.parts.softmax import softmax_attention
from longways.export.weights import AnyLinear, Weights, join

Spec: TypeAlias = tuple[type[np.generic], list[int | str]]
"""The type and the shape of a tensor."""


class Cross(ABC):
    """The cross attention of all decoder layers.

    `memory` has the tensors of the memory by name, from `remember` or from inputs of the graph.
    """

    def __init__(self, graph: Graph, weights: Weights, layers: list[CrossAttention]) -> None:
        self.graph, self.weights, self.layers = graph, weights, layers
        self.heads, self.dim = layers[0].heads, layers[0].o.in_features
        self.head_dim = self.dim // self.heads
        self.memory: dict[str, Value] = {}

    @abstractmethod
    def specs(self) -> dict[str, Spec]:
        """The tensors of the memory, with their types and shapes."""

    @abstractmethod
    def remember(self, index: int, projected: list[Value], lengths: Value) -> None:
        """Compute the memory of a layer from what `source_linears` give for the source.

        They are keys (B, N, H P) and values (B, N, d), unless a subclass has others.
        """

    @abstractmethod
    def read(self, x: Value, index: int) -> Value:
        """The attention of a layer for x (B, T, d), before its output projection."""

    @abstractmethod
    def attention_weights(self, x: Value, index: int) -> Value:
        """The weights (B, H, T, N) of every source token for x; needs `remember` before."""

    def add_inputs(self) -> None:
        """Make the memory an input of the graph."""
        for name, (dtype, shape) in self.specs().items():
            self.memory[name] = self.graph.input(name, dtype, shape)

    def add_outputs(self) -> None:
        """Make the memory an output of the graph."""
        for name, (dtype, shape) in self.specs().items():
            self.graph.output(name, self.memory[name], dtype, shape)

    def fold_into(self, index: int, linear: nn.Linear) -> AnyLinear:
        """The linear map d -> H P of queries or keys, with the feature map's projection if any."""
        return linear

    def source_linears(self, index: int) -> list[AnyLinear]:
        """The linear maps of the source that `remember` needs."""
        return [self.fold_into(index, self.layers[index].k), self.layers[index].v]

    def query(self, x: Value, index: int) -> Value:
        """The queries of x: (B, T, d) -> (B, T, H P)."""
        linear = self.fold_into(index, self.layers[index].q)
        return self.weights.multiply(self.graph, x, *join(linear))

    def split(self, x: Value, heads: int | None = None) -> Value:
        """(B, T, H E) -> (B, H, T, E)."""
        by_head = self.graph.reshape(x, 0, 0, heads or self.heads, self.head_dim)
        return self.graph.op("Transpose", by_head, perm=[0, 2, 1, 3])

    def padding(self, tokens: Value, lengths: Value) -> Value:
        """The padding mask (B, N), true after the end of each window; `tokens` is N."""
        graph = self.graph
        zero, one = (graph.constant(np.array(n)) for n in (0, 1))
        places = graph.op("Range", zero, graph.op("Squeeze", tokens), one)
        ends = graph.reshape(lengths, -1, 1)
        return graph.op("GreaterOrEqual", graph.op("Cast", places, to=INT32), ends)


class CrossRFAs(Cross):
    """Cross RFA: the sums S and z, which are read separately.

    With z as another column of S, a row of S would not fill whole registers of the processor, and
    reading would take 1.6 times as long.

    Every token reads S with its own matmul. With several rows in one matmul, ONNX Runtime first
    copies S into another layout: a step of 4 beams then takes 1.2 to 1.7 times as long, depending
    on the number of features. Reading a long prefix would take half the time, but it is read only
    once.
    """

    layers: list[CrossRFA]  # type: ignore[assignment]  # all of one kind

    def __init__(
        self, graph: Graph, weights: Weights, layers: list[CrossRFA], W: Tensor | None
    ) -> None:
        super().__init__(graph, weights, [*layers])
        self.features = [feature_graph(graph, layer.phi, W) for layer in layers]
        self._written: list[tuple[Value, Value]] = []  # phi(k) and the weights of the keys
        self._like: Value | None = None  # a value with B windows
        self._padding: Value | None = None  # (B, 1, N, 1)

    def specs(self) -> dict[str, Spec]:
        """S and z of each layer."""
        features = self.layers[0].phi.features
        shapes = {"sums": [features, self.head_dim], "norms": [1, features]}
        return {
            f"{name}.{index}": (np.float32, ["windows", 1, self.heads, *shape])
            for name, shape in shapes.items()
            for index in range(len(self.layers))
        }

    def fold_into(self, index: int, linear: nn.Linear) -> AnyLinear:
        """The linear map with the feature map's projection, if that is trained."""
        return self.features[index].fold_into(linear)

    def remember(self, index: int, projected: list[Value], lengths: Value) -> None:
        """The sums of phi(k) v and phi(k), each key weighted by its norm."""
        k, v = projected
        graph, phi = self.graph, self._phi(k, index)
        self._padding = self._padding or graph.op(
            "Unsqueeze", self.padding(graph.size(k, 1), lengths), graph.constant([1, 3])
        )
        weights = self.features[index].key_weights(k, self._padding)
        self._written.append((phi, weights))
        weighted = graph.op("Mul", self.split(v), weights)
        as_row = graph.op("Transpose", weights, perm=[0, 1, 3, 2])  # (B, H or 1, 1, N)
        self._store(f"sums.{index}", graph.op("FusedMatMul", phi, weighted, transA=1))
        self._store(f"norms.{index}", graph.op("MatMul", as_row, phi))

    def read(self, x: Value, index: int) -> Value:
        """phi(q) S / phi(q) . z."""
        graph, q = self.graph, self.query(x, index)
        self._like = self._like or q
        phi = self.features[index].of_queries(q, self._like)  # (B, T, H, 1, D)
        out = graph.op("MatMul", phi, self.memory[f"sums.{index}"])  # (B, T, H, 1, E)
        products = graph.op("Mul", phi, self.memory[f"norms.{index}"])
        norm = graph.op("ReduceSum", products, graph.constant([-1]))  # (B, T, H, 1, 1)
        return graph.reshape(graph.op("Div", out, self._floored(norm, index)), 0, 0, self.dim)

    def attention_weights(self, x: Value, index: int) -> Value:
        """phi(q) . phi(k), normalised; some can be negative."""
        graph, phi = self.graph, self._phi(self.query(x, index), index)
        phi_k, weights = self._written[index]
        scores = graph.op("FusedMatMul", phi, phi_k, transB=1)  # (B, H, T, N)
        scores = graph.op("Mul", scores, graph.op("Transpose", weights, perm=[0, 1, 3, 2]))
        total = graph.op("ReduceSum", scores, graph.constant([-1]))
        return graph.op("Div", scores, self._floored(total, index))

    def _phi(self, y: Value, index: int) -> Value:
        """(B, T, H P) -> (B, H, T, D)."""
        self._like = self._like or y
        return self.features[index].of_windows(y, self._like)

    def _store(self, name: str, value: Value) -> None:
        """Store (B, H, ...) in the memory as (B, 1, H, ...), to be broadcast over tokens."""
        self.memory[name] = self.graph.op("Unsqueeze", value, self.graph.constant([1]))

    def _floored(self, norm: Value, index: int) -> Value:
        return self.graph.op("Max", norm, self.graph.number(self.features[index].floor))


class CrossSoftmaxes(Cross):
    """Softmax cross attention: keys and values of all source tokens, or of pooled means."""

    layers: list[CrossSoftmax]  # type: ignore[assignment]  # all of one kind

    def __init__(self, graph: Graph, weights: Weights, layers: list[CrossSoftmax]) -> None:
        super().__init__(graph, weights, [*layers])
        self.key_heads = layers[0].key_heads  # query head h uses key head h % G
        self.pools = [Pool(graph, layer.pool) for layer in layers if layer.pool is not None]

    def specs(self) -> dict[str, Spec]:
        """Keys and values of each layer, and the lengths of sources if they are not pooled."""
        places = self.pools[0].means if self.pools else "source"
        shape: list[int | str] = ["windows", self.key_heads, places, self.head_dim]
        names = [f"{name}.{i}" for i in range(len(self.layers)) for name in ("keys", "values")]
        lengths: dict[str, Spec] = {} if self.pools else {"lengths": (np.int32, ["windows"])}
        return lengths | {f"source_{name}": (np.float32, shape) for name in names}

    def remember(self, index: int, projected: list[Value], lengths: Value) -> None:
        """Keys and values (B, G, N, E), pooled if the layer has means."""
        k, v = (self.split(x, self.key_heads) for x in projected)
        self.memory["lengths"] = lengths
        if self.pools:
            padding = self.padding(self.graph.size(k, 2), lengths)
            k, v = self.pools[index].pool(k, v, padding, lengths)
        self.memory[f"source_keys.{index}"], self.memory[f"source_values.{index}"] = k, v

    def read(self, x: Value, index: int) -> Value:
        """Fused attention; query heads that share keys become more queries, (B, T H/G, G E)."""
        k, v = (self.memory[f"source_{name}.{index}"] for name in ("keys", "values"))
        q, real = self.query(x, index), "" if self.pools else self.memory["lengths"]
        if self.key_heads == self.heads:
            return softmax_attention(self.graph, self.heads, q, k, v, real)[0]
        grouped = self.graph.reshape(q, 0, -1, self.key_heads * self.head_dim)
        out = softmax_attention(self.graph, self.key_heads, grouped, k, v, real)[0]
        return self.graph.op("Reshape", out, self.graph.op("Shape", q))

    def attention_weights(self, x: Value, index: int) -> Value:
        """The softmax weights; weights of means are distributed over their tokens."""
        graph, k = self.graph, self.memory[f"source_keys.{index}"]
        transposed = self._for_all_heads(graph.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = graph.op("MatMul", self.split(self.query(x, index)), transposed)
        scores = graph.op("Mul", scores, graph.number(self.head_dim**-0.5))
        if self.pools:
            weights = graph.op("Softmax", scores, axis=-1)
            token_weights = self._for_all_heads(self.pools[index].token_weights)
            return graph.op("MatMul", weights, token_weights)
        padding = self.padding(graph.size(k, 2), self.memory["lengths"])
        padding = graph.op("Unsqueeze", padding, graph.constant([1, 2]))  # (B, 1, 1, N)
        masked = graph.op("Where", padding, graph.number(-np.inf), scores)
        return graph.op("Softmax", masked, axis=-1)

    def _for_all_heads(self, y: Value) -> Value:
        """(B, G, ...) -> (B, H, ...)."""
        return self.graph.op("Concat", *[y] * (self.heads // self.key_heads), axis=1)
