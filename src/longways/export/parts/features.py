"""Feature maps as graphs: what x is multiplied by, and what makes features of the product.

B windows, R rows, T tokens, N source tokens, M tokens of any batch, H heads, E head size, K
projections, D features. P numbers of a head are what the product gives: E, or K if it projects too.

The scale of a map is left out: with it, every weight of an attention would be scale^2 times as
large, which only the floor under the norm could tell. So every map has a floor of its own.
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


class Features(ABC):
    """phi of one attention layer, once x is multiplied by what `enter` gives."""

    heads: int
    """H."""
    size: int
    """P."""
    scale: float
    """What torch multiplies every feature by."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def width(self) -> int:
        """H P, the columns of a product."""
        return self.heads * self.size

    @property
    def floor(self) -> float:
        """The least that a norm made of these features may be."""
        return MIN_NORM / self.scale**2

    @abstractmethod
    def enter(self, linear: nn.Linear) -> AnyLinear:
        """What x is multiplied by, made of the linear map that gives queries or keys."""

    @abstractmethod
    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """Queries beside keys, (R, T, 2 H P) -> (R, T, 2 H D)."""

    @abstractmethod
    def of_windows(self, y: Value, like: Value) -> Value:
        """(B, T, H P) -> (B, H, T, D); `like` has B windows too, and is the same in all layers."""

    @abstractmethod
    def of_queries(self, y: Value, like: Value) -> Value:
        """(B, T, H P) -> (B, T, H, 1, D), likewise."""

    @abstractmethod
    def key_weights(self, k: Value, padding: Value) -> Value:
        """How much each key of k (B, N, H P) counts, nothing where padding (B, 1, N, 1) is true.

        (B, H, N, 1), or (B, 1, N, 1) if it counts the same in all heads.
        """


class Tempered(Features):
    """The random maps: x over its length, times a matrix of the pool over a temperature."""

    scale = FEATURE_SCALE

    def __init__(self, graph: Graph, phi: FeatureMap, W: Tensor | None) -> None:
        super().__init__(graph)
        assert isinstance(phi, RandomFeatures | PositiveFeatures)
        assert W is not None, "a random feature map needs the matrices of a pool"
        self.phi, self.W = phi, W
        self.heads, self.projections, self.size = W.shape

    def enter(self, linear: nn.Linear) -> AnyLinear:
        """The map itself."""
        return linear

    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """Both are rows of one product, which so has two at least.

        Of a single row, ONNX Runtime adds up in another order, and a window would not be the same
        alone as beside others.
        """
        u = self.graph.op("Transpose", self._project(qk), perm=[1, 0, 2])  # (2 R T, H, K)
        return rows.of(self._finish(u), 2 * self.heads * self.phi.features)

    def of_windows(self, y: Value, like: Value) -> Value:
        """Rows of one product a head, which are put into their windows again."""
        graph, u = self.graph, self._project(y)
        apart = graph.reshape(u, self.heads, graph.size(like, 0), -1, self.projections)
        return self._finish(graph.op("Transpose", apart, perm=[1, 0, 2, 3]), behind=1)

    def of_queries(self, y: Value, like: Value) -> Value:
        """Likewise, each row by itself."""
        graph, u = self.graph, self.graph.op("Transpose", self._project(y), perm=[1, 0, 2])
        apart = graph.reshape(u, graph.size(like, 0), -1, self.heads, 1, self.projections)
        return self._finish(apart, behind=1)

    def key_weights(self, k: Value, padding: Value) -> Value:
        """exp(n - max n) with n = (|k| E^-1/2 / tau)^2 / 2."""
        graph, scale = self.graph, self._tau() ** -2 / (2 * self.size)
        heads = graph.reshape(k, 0, 0, self.heads, self.size)
        n = graph.op("ReduceSumSquare", heads, graph.constant([-1]))
        n = graph.op("Transpose", n, perm=[0, 2, 1, 3])  # (B, H, N, 1)
        n = graph.op("Mul", n, graph.constant(scale.astype(np.float32)))
        hidden = graph.op("Where", padding, graph.number(-np.inf), n)
        most = graph.op("ReduceMax", hidden, graph.constant([2]))
        return graph.op("Exp", graph.op("Sub", hidden, most))

    def _project(self, x: Value) -> Value:
        """u: (..., H E) -> (H, M, K)."""
        unit = self._unit(self.graph.reshape(x, -1, self.heads, self.size))
        return self.graph.op("FusedMatMul", unit, self._matrix(), transBatchA=1)

    def _unit(self, x: Value) -> Value:
        """x over its length, which takes half as long from three operators as from ReduceL2."""
        graph = self.graph
        square = graph.op("ReduceSum", graph.op("Mul", x, x), graph.constant([-1]))
        longer = graph.op("Add", graph.op("Sqrt", square), graph.number(NORM_EPSILON))
        return graph.op("Div", x, longer)

    def _matrix(self) -> Value:
        """W / tau, computed when the graph is loaded, since all layers share W: (H, E, K)."""
        drawn = self.graph.constant(array(self.W).transpose(0, 2, 1))
        return self.graph.op("Div", drawn, self.graph.constant(self._tau()))

    def _tau(self) -> Array:
        """(H, 1, 1)."""
        return array(self.phi.tau)[:, None, None]

    @abstractmethod
    def _finish(self, u: Value, behind: int = 0) -> Value:
        """(..., H, ..., K) -> (..., H, ..., D), with so many axes between H and K."""


class Waves(Tempered):
    """Sines and cosines."""

    def _finish(self, u: Value, behind: int = 0) -> Value:
        """[sin u, cos u]."""
        return self.graph.op("Concat", *(self.graph.op(f, u) for f in ("Sin", "Cos")), axis=-1)


class Exponentials(Tempered):
    """Exponentials of u and of -u."""

    def _finish(self, u: Value, behind: int = 0) -> Value:
        """[exp(u - offset), exp(-u - offset)]."""
        offset = (1 / self._tau() ** 2 + math.log(2) / 2).astype(np.float32)
        offsets = self.graph.constant(offset.reshape(self.heads, *(1,) * behind, 1))
        both = self.graph.op("Concat", u, self.graph.op("Neg", u), axis=-1)
        return self.graph.op("Exp", self.graph.op("Sub", both, offsets))


class Projected(Features):
    """The trained maps: the product projects too, and no query or key is ever made.

    Its weight is one matrix, not one for each head: of such a product ONNX Runtime adds up a single
    row as it does many, so a window is the same alone as beside others, to the last bit.
    """

    def __init__(self, graph: Graph, phi: FeatureMap, W: Tensor | None) -> None:
        super().__init__(graph)
        assert isinstance(phi, ProjectedFeatures)
        self.phi = phi
        self.heads, self.size, _ = phi.weight.shape

    def enter(self, linear: nn.Linear) -> AnyLinear:
        """The map and the projection in one."""
        return Linear(*fold(self.phi, None, linear))

    def of_windows(self, y: Value, like: Value) -> Value:
        """Head by head."""
        heads = self.graph.reshape(y, 0, 0, self.heads, self.size)
        return self.graph.op("Transpose", self._finish(heads), perm=[0, 2, 1, 3])

    def of_queries(self, y: Value, like: Value) -> Value:
        """Head by head."""
        return self._finish(self.graph.reshape(y, 0, 0, self.heads, 1, self.size))

    def key_weights(self, k: Value, padding: Value) -> Value:
        """1: these features tell a long key from a short one."""
        return self.graph.op("Where", padding, self.graph.number(0), self.graph.number(1))

    @abstractmethod
    def _finish(self, u: Value) -> Value:
        """(..., K) -> (..., D)."""


class Rectified(Projected):
    """The projections, or 0 where they are negative."""

    scale = FEATURE_SCALE

    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """It does not matter where a head ends."""
        return self._finish(qk)

    def _finish(self, u: Value) -> Value:
        return self.graph.op("Relu", u)


class Spiky(Projected):
    """A softmax over the projections of a head."""

    scale = SPIKY_SCALE

    def of_rows(self, qk: Value, rows: Rows) -> Value:
        """Head by head."""
        heads = self.graph.reshape(qk, 0, 0, 2 * self.heads, self.size)
        return self.graph.reshape(self._finish(heads), 0, 0, 2 * self.width)

    def _finish(self, u: Value) -> Value:
        return self.graph.op("Softmax", u, axis=-1)


_FEATURES: dict[type[FeatureMap], type[Tempered | Projected]] = {
    RandomFeatures: Waves,
    PositiveFeatures: Exponentials,
    LearnedFeatures: Rectified,
    SpikyFeatures: Spiky,
}


def features_of(graph: Graph, phi: FeatureMap, W: Tensor | None) -> Features:
    """A feature map as a graph; W (H, K, E) are the matrices of the pool, if it needs any."""
    return _FEATURES[type(phi)](graph, phi, W)
