"""Feature maps in exported graphs.

B windows, R rows, T tokens, N source tokens, M tokens of any batch, H heads, E head size, K
projections, D features, P inputs of a head's feature map (E, or K if the projection is folded into
the query and key projections).

The scale of a map is omitted. It multiplies all attention weights by scale^2, which affects only
the floor of the norm, so every map has its own floor.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from torch import Tensor, nn

from longways.attention.features import (
    FeatureMap,
    LearnedFeatures,
    PositiveFeatures,
    ProjectedFeatures,
    RandomFeatures,
    SpikyFeatures,
)
from longways.attention.fused_projection import fold
from longways.attention.rfa.constants import FEATURE_SCALE, MIN_NORM, NORM_EPSILON, SPIKY_SCALE
from longways.export.graph_builder import Graph, Value
from longways.export.parts.rows import Rows
from longways.export.weights import AnyLinear, Array, Linear, array


class FeatureGraph(ABC):
    """The feature map of one attention layer, after the linear map of `fold_into`."""

    heads: int
    """H."""
    size: int
    """P."""
    scale: float
    """The factor of every feature in torch."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def width(self) -> int:
        """H P, the outputs of the linear map."""
        return self.heads * self.size

    @property
    def floor(self) -> float:
        """The floor of a norm of these features."""
        return MIN_NORM / self.scale**2

    @abstractmethod
    def fold_into(self, linear: nn.Linear) -> AnyLinear:
        """The linear map of queries or keys, with the projection of a trained map folded in."""

    @abstractmethod
    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """Features of queries and keys, side by side: (R, T, 2 H P) -> (R, T, 2 H D)."""

    @abstractmethod
    def of_windows(self, y: Value, like: Value) -> Value:
        """(B, T, H P) -> (B, H, T, D); `like` is a value with B windows, shared by all layers."""

    @abstractmethod
    def of_queries(self, y: Value, like: Value) -> Value:
        """(B, T, H P) -> (B, T, H, 1, D); `like` is a value with B windows."""

    @abstractmethod
    def key_weights(self, k: Value, padding: Value) -> Value:
        """The weights of the keys k (B, N, H P), 0 where padding (B, 1, N, 1) is true.

        The shape is (B, H, N, 1), or (B, 1, N, 1) if the weights are equal in all heads.
        """


class RandomMapGraph(FeatureGraph):
    """Base of the random maps: unit vectors times random matrices, divided by a temperature."""

    scale = FEATURE_SCALE

    def __init__(self, graph: Graph, phi: FeatureMap, W: Tensor | None) -> None:
        super().__init__(graph)
        assert isinstance(phi, RandomFeatures | PositiveFeatures)
        assert W is not None, "a random feature map needs the matrices of a pool"
        self.phi, self.W = phi, W
        self.heads, self.projections, self.size = W.shape

    def fold_into(self, linear: nn.Linear) -> AnyLinear:
        """The linear map unchanged."""
        return linear

    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """Queries and keys are rows of one matmul, which so has at least two rows.

        ONNX Runtime sums in another order for a single row, so that the numbers of a window would
        depend on its batch.
        """
        u = self.graph.op("Transpose", self._project(qk), perm=[1, 0, 2])  # (2 R T, H, K)
        return rows.to_rows(self._activate(u), 2 * self.heads * self.phi.features)

    def of_windows(self, y: Value, like: Value) -> Value:
        """One matmul for each head, whose rows are divided into windows again."""
        graph, u = self.graph, self._project(y)
        by_window = graph.reshape(u, self.heads, graph.size(like, 0), -1, self.projections)
        return self._activate(graph.op("Transpose", by_window, perm=[1, 0, 2, 3]), axes=1)

    def of_queries(self, y: Value, like: Value) -> Value:
        """One matmul for each head, whose rows are divided into windows and tokens again."""
        graph, u = self.graph, self.graph.op("Transpose", self._project(y), perm=[1, 0, 2])
        by_token = graph.reshape(u, graph.size(like, 0), -1, self.heads, 1, self.projections)
        return self._activate(by_token, axes=1)

    def key_weights(self, k: Value, padding: Value) -> Value:
        """exp(n - max n) with n = (|k| E^-1/2 / tau)^2 / 2."""
        graph, scale = self.graph, self._tau() ** -2 / (2 * self.size)
        heads = graph.reshape(k, 0, 0, self.heads, self.size)
        n = graph.op("ReduceSumSquare", heads, graph.constant([-1]))
        n = graph.op("Transpose", n, perm=[0, 2, 1, 3])  # (B, H, N, 1)
        n = graph.op("Mul", n, graph.constant(scale.astype(np.float32)))
        masked = graph.op("Where", padding, graph.number(-np.inf), n)
        largest = graph.op("ReduceMax", masked, graph.constant([2]))
        return graph.op("Exp", graph.op("Sub", masked, largest))

    def _project(self, x: Value) -> Value:
        """u: (..., H E) -> (H, M, K)."""
        unit = self._unit(self.graph.reshape(x, -1, self.heads, self.size))
        return self.graph.op("FusedMatMul", unit, self._matrix(), transBatchA=1)

    def _unit(self, x: Value) -> Value:
        """x divided by its norm. Three operators take half as long as ReduceL2."""
        graph = self.graph
        square = graph.op("ReduceSum", graph.op("Mul", x, x), graph.constant([-1]))
        norm = graph.op("Add", graph.op("Sqrt", square), graph.number(NORM_EPSILON))
        return graph.op("Div", x, norm)

    def _matrix(self) -> Value:
        """W / tau (H, E, K), computed when the graph is loaded, since all layers share W."""
        drawn = self.graph.constant(array(self.W).transpose(0, 2, 1))
        return self.graph.op("Div", drawn, self.graph.constant(self._tau()))

    def _tau(self) -> Array:
        """The temperatures (H, 1, 1)."""
        return array(self.phi.tau)[:, None, None]

    @abstractmethod
    def _activate(self, u: Value, axes: int = 0) -> Value:
        """(..., H, ..., K) -> (..., H, ..., D); `axes` is the number of axes between H and K."""


class SinCosGraph(RandomMapGraph):
    """`RandomFeatures`: sines and cosines."""

    def _activate(self, u: Value, axes: int = 0) -> Value:
        """[sin u, cos u]."""
        return self.graph.op("Concat", *(self.graph.op(f, u) for f in ("Sin", "Cos")), axis=-1)


class ExponentialGraph(RandomMapGraph):
    """`PositiveFeatures`: exponentials of u and of -u."""

    def _activate(self, u: Value, axes: int = 0) -> Value:
        """[exp(u - offset), exp(-u - offset)]."""
        offset = (1 / self._tau() ** 2 + math.log(2) / 2).astype(np.float32)
        offsets = self.graph.constant(offset.reshape(self.heads, *(1,) * axes, 1))
        both = self.graph.op("Concat", u, self.graph.op("Neg", u), axis=-1)
        return self.graph.op("Exp", self.graph.op("Sub", both, offsets))


class TrainedMapGraph(FeatureGraph):
    """Base of the trained maps, whose projection is folded into the query and key projections.

    The folded weight is one matrix for all heads. ONNX Runtime sums such a matmul in the same order
    for one row and for many, so the numbers of a window do not depend on its batch.
    """

    def __init__(self, graph: Graph, phi: FeatureMap, W: Tensor | None) -> None:
        super().__init__(graph)
        assert isinstance(phi, ProjectedFeatures)
        self.phi = phi
        self.heads, self.size, _ = phi.weight.shape

    def fold_into(self, linear: nn.Linear) -> AnyLinear:
        """The linear map with the projection folded in."""
        return Linear(*fold(self.phi, None, linear))

    def of_windows(self, y: Value, like: Value) -> Value:
        """The features of each head; `like` is not needed."""
        heads = self.graph.reshape(y, 0, 0, self.heads, self.size)
        return self.graph.op("Transpose", self._activate(heads), perm=[0, 2, 1, 3])

    def of_queries(self, y: Value, like: Value) -> Value:
        """The features of each head; `like` is not needed."""
        return self._activate(self.graph.reshape(y, 0, 0, self.heads, 1, self.size))

    def key_weights(self, k: Value, padding: Value) -> Value:
        """The weight 1 for every key, since these features depend on the norms of keys."""
        return self.graph.op("Where", padding, self.graph.number(0), self.graph.number(1))

    @abstractmethod
    def _activate(self, u: Value) -> Value:
        """(..., K) -> (..., D)."""


class ReluGraph(TrainedMapGraph):
    """`LearnedFeatures`: a ReLU of the projections."""

    scale = FEATURE_SCALE

    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """The features, without a division into heads."""
        return self._activate(qk)

    def _activate(self, u: Value) -> Value:
        return self.graph.op("Relu", u)


class SoftmaxGraph(TrainedMapGraph):
    """`SpikyFeatures`: a softmax over the projections of a head."""

    scale = SPIKY_SCALE

    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """The features of each head of queries and keys."""
        heads = self.graph.reshape(qk, 0, 0, 2 * self.heads, self.size)
        return self.graph.reshape(self._activate(heads), 0, 0, 2 * self.width)

    def _activate(self, u: Value) -> Value:
        return self.graph.op("Softmax", u, axis=-1)


_FEATURES: dict[type[FeatureMap], type[RandomMapGraph | TrainedMapGraph]] = {
    RandomFeatures: SinCosGraph,
    PositiveFeatures: ExponentialGraph,
    LearnedFeatures: ReluGraph,
    SpikyFeatures: SoftmaxGraph,
}


def feature_graph(graph: Graph, phi: FeatureMap, W: Tensor | None) -> FeatureGraph:
    """The graph of a feature map; W (H, K, E) are the random matrices, None if it needs none."""
    return _FEATURES[type(phi)](graph, phi, W)
