"""Cross attention as graphs: what the encoder's graph remembers, and how the decoder's reads it.

B windows, N source tokens, T target tokens, H heads, D features, E head size, d = H E model size. P
numbers of a head are what makes its features: E, or K projections.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np
from torch import Tensor, nn

from longways.attention.layers import CrossAttention, CrossRFA, CrossSoftmax
from longways.export.graph_builder import INT32, Graph, Value
from longways.export.parts.features import features_of
from longways.export.parts.mean_pooling import Pool
from longways.export.parts.softmax import softmax_attention
from longways.export.weights import AnyLinear, Weights, join

Spec: TypeAlias = tuple[type[np.generic], list[int | str]]
"""The type and the shape of a tensor."""


class Cross(ABC):
    """The cross attention of all decoder layers.

    `known` is the memory by name: made by `remember`, or given by the caller.
    """

    def __init__(self, graph: Graph, weights: Weights, layers: list[CrossAttention]) -> None:
        self.graph, self.weights, self.layers = graph, weights, layers
        self.heads, self.dim = layers[0].heads, layers[0].o.in_features
        self.head_dim = self.dim // self.heads
        self.known: dict[str, Value] = {}

    @abstractmethod
    def specs(self) -> dict[str, Spec]:
        """What the memory is made of."""

    @abstractmethod
    def remember(self, index: int, k: Value, v: Value, lengths: Value) -> None:
        """Make what a layer needs of its keys (B, N, H P) and values (B, N, d)."""

    @abstractmethod
    def read(self, x: Value, index: int) -> Value:
        """What a layer finds for x (B, T, d), before its output projection."""

    @abstractmethod
    def shares(self, x: Value, index: int) -> Value:
        """(B, H, T, N): how much of each source token x takes in; only after `remember`."""

    def take(self) -> None:
        """Ask the caller for the memory."""
        for name, (dtype, shape) in self.specs().items():
            self.known[name] = self.graph.input(name, dtype, shape)

    def give(self) -> None:
        """Give the memory to the caller."""
        for name, (dtype, shape) in self.specs().items():
            self.graph.output(name, self.known[name], dtype, shape)

    def enter(self, index: int, linear: nn.Linear) -> AnyLinear:
        """What gives the queries or keys of a layer, d -> H P, from the layer's own linear map."""
        return linear

    def query(self, x: Value, index: int) -> Value:
        """(B, T, d) -> (B, T, H P)."""
        linear = self.enter(index, self.layers[index].q)
        return self.weights.multiply(self.graph, x, *join(linear))

    def split(self, x: Value, heads: int | None = None) -> Value:
        """(B, T, H E) -> (B, H, T, E)."""
        apart = self.graph.reshape(x, 0, 0, heads or self.heads, self.head_dim)
        return self.graph.op("Transpose", apart, perm=[0, 2, 1, 3])

    def padding(self, tokens: Value, lengths: Value) -> Value:
        """(B, N): true from the end of each window on; `tokens` is N."""
        graph = self.graph
        zero, one = (graph.constant(np.array(n)) for n in (0, 1))
        places = graph.op("Range", zero, graph.op("Squeeze", tokens), one)
        ends = graph.reshape(lengths, -1, 1)
        return graph.op("GreaterOrEqual", graph.op("Cast", places, to=INT32), ends)


class CrossRFAs(Cross):
    """Sums of fixed size: S, and z, which is read by itself.

    As one more column of S, it would make the read take 1.6 times as long: a row of S would no
    longer be a whole number of a processor's registers.

    Every token reads S by a product of its own. Of several rows in one product, ONNX Runtime would
    first copy S into another order: for a step of 4 beams that takes 1.2 to 1.7 times as long, the
    longer the more features there are. A long prefix is read in half the time so, but it is read
    once.
    """

    layers: list[CrossRFA]  # type: ignore[assignment]  # all of one kind

    def __init__(
        self, graph: Graph, weights: Weights, layers: list[CrossRFA], W: Tensor | None
    ) -> None:
        super().__init__(graph, weights, [*layers])
        self.features = [features_of(graph, layer.phi, W) for layer in layers]
        self._written: list[tuple[Value, Value]] = []  # phi(k) and the weights of the keys
        self._like: Value | None = None  # has B windows
        self._hidden: Value | None = None  # where padding is, (B, 1, N, 1)

    def specs(self) -> dict[str, Spec]:
        """S and z of each layer."""
        features = self.layers[0].phi.features
        shapes = {"sums": [features, self.head_dim], "norms": [1, features]}
        return {
            f"{name}.{index}": (np.float32, ["windows", 1, self.heads, *shape])
            for name, shape in shapes.items()
            for index in range(len(self.layers))
        }

    def enter(self, index: int, linear: nn.Linear) -> AnyLinear:
        """As the feature map wants it."""
        return self.features[index].enter(linear)

    def remember(self, index: int, k: Value, v: Value, lengths: Value) -> None:
        """Sum up phi(k) v and phi(k), each key weighted by its norm."""
        graph, phi = self.graph, self._phi(k, index)
        self._hidden = self._hidden or graph.op(
            "Unsqueeze", self.padding(graph.size(k, 1), lengths), graph.constant([1, 3])
        )
        weights = self.features[index].key_weights(k, self._hidden)
        self._written.append((phi, weights))
        weighed = graph.op("Mul", self.split(v), weights)
        across = graph.op("Transpose", weights, perm=[0, 1, 3, 2])  # (B, H or 1, 1, N)
        self._know(f"sums.{index}", graph.op("FusedMatMul", phi, weighed, transA=1))
        self._know(f"norms.{index}", graph.op("MatMul", across, phi))

    def read(self, x: Value, index: int) -> Value:
        """phi(q) S / phi(q) . z."""
        graph, q = self.graph, self.query(x, index)
        self._like = self._like or q
        phi = self.features[index].of_queries(q, self._like)  # (B, T, H, 1, D)
        out = graph.op("MatMul", phi, self.known[f"sums.{index}"])  # (B, T, H, 1, E)
        shares = graph.op("Mul", phi, self.known[f"norms.{index}"])
        norm = graph.op("ReduceSum", shares, graph.constant([-1]))  # (B, T, H, 1, 1)
        return graph.reshape(graph.op("Div", out, self._floored(norm, index)), 0, 0, self.dim)

    def shares(self, x: Value, index: int) -> Value:
        """phi(q) . phi(k), normalised: some of them below zero."""
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

    def _know(self, name: str, value: Value) -> None:
        """Keep (B, H, ...) as (B, 1, H, ...), the same for every token."""
        self.known[name] = self.graph.op("Unsqueeze", value, self.graph.constant([1]))

    def _floored(self, norm: Value, index: int) -> Value:
        return self.graph.op("Max", norm, self.graph.number(self.features[index].floor))


class CrossSoftmaxes(Cross):
    """Keys and values of the source: of every token, or of means that these are pooled into."""

    layers: list[CrossSoftmax]  # type: ignore[assignment]  # all of one kind

    def __init__(self, graph: Graph, weights: Weights, layers: list[CrossSoftmax]) -> None:
        super().__init__(graph, weights, [*layers])
        self.key_heads = layers[0].key_heads  # query head h reads key head h % G
        self.pools = [Pool(graph, layer.pool) for layer in layers if layer.pool is not None]

    def specs(self) -> dict[str, Spec]:
        """Keys and values of each layer, and how many of them are real if that depends."""
        places = self.pools[0].means if self.pools else "source"
        shape: list[int | str] = ["windows", self.key_heads, places, self.head_dim]
        names = [f"{name}.{i}" for i in range(len(self.layers)) for name in ("keys", "values")]
        lengths: dict[str, Spec] = {} if self.pools else {"lengths": (np.int32, ["windows"])}
        return lengths | {f"source_{name}": (np.float32, shape) for name in names}

    def remember(self, index: int, k: Value, v: Value, lengths: Value) -> None:
        """Keys and values (B, G, N, E) as they are, or pooled."""
        k, v = self.split(k, self.key_heads), self.split(v, self.key_heads)
        self.known["lengths"] = lengths
        if self.pools:
            padding = self.padding(self.graph.size(k, 2), lengths)
            k, v = self.pools[index].pool(k, v, padding, lengths)
        self.known[f"source_keys.{index}"], self.known[f"source_values.{index}"] = k, v

    def read(self, x: Value, index: int) -> Value:
        """One fused attention; heads that share keys are so many more queries (B, T H/G, G E)."""
        k, v = (self.known[f"source_{name}.{index}"] for name in ("keys", "values"))
        q, real = self.query(x, index), "" if self.pools else self.known["lengths"]
        if self.key_heads == self.heads:
            return softmax_attention(self.graph, self.heads, q, k, v, real)[0]
        more = self.graph.reshape(q, 0, -1, self.key_heads * self.head_dim)
        out = softmax_attention(self.graph, self.key_heads, more, k, v, real)[0]
        return self.graph.op("Reshape", out, self.graph.op("Shape", q))

    def shares(self, x: Value, index: int) -> Value:
        """The softmax itself; of means, through the shares that tokens have in them."""
        graph, k = self.graph, self.known[f"source_keys.{index}"]
        across = self._for_all(graph.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = graph.op("MatMul", self.split(self.query(x, index)), across)
        scores = graph.op("Mul", scores, graph.number(self.head_dim**-0.5))
        if self.pools:
            weights = graph.op("Softmax", scores, axis=-1)
            return graph.op("MatMul", weights, self._for_all(self.pools[index].shares))
        padding = self.padding(graph.size(k, 2), self.known["lengths"])
        padding = graph.op("Unsqueeze", padding, graph.constant([1, 2]))  # (B, 1, 1, N)
        hidden = graph.op("Where", padding, graph.number(-np.inf), scores)
        return graph.op("Softmax", hidden, axis=-1)

    def _for_all(self, y: Value) -> Value:
        """(B, G, ...) -> (B, H, ...)."""
        return self.graph.op("Concat", *[y] * (self.heads // self.key_heads), axis=1)
