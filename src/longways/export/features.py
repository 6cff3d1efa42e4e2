"""Feature maps as graphs.

M tokens of any batch, H heads, E head size, K projections, D features.

FEATURE_SCALE is left out: with it, every weight of an attention would be FEATURE_SCALE^2 times as
large, which only the floor under the norm could tell. That floor is `FLOOR` here.
"""

from __future__ import annotations

import math

import numpy as np
from torch import Tensor

from longways.attention.features import (
    FeatureMap,
    LearnedFeatures,
    PositiveFeatures,
    RandomFeatures,
)
from longways.attention.rfa.constants import FEATURE_SCALE, MIN_NORM, NORM_EPSILON
from longways.export.graph import Graph, Value
from longways.export.weights import Array, array

FLOOR = MIN_NORM / FEATURE_SCALE**2


class Features:
    """phi of one attention layer, in two parts: those between may put the axes in another order."""

    def __init__(self, graph: Graph, phi: FeatureMap, W: Tensor | None) -> None:
        self.graph, self.phi, self.W = graph, phi, W

    @property
    def projections(self) -> int:
        """K."""
        learned = isinstance(self.phi, LearnedFeatures)
        return self.phi.features if learned else self.phi.features // 2

    def project(self, x: Value) -> Value:
        """u: (M, H, E) -> (H, M, K)."""
        unit = x if isinstance(self.phi, LearnedFeatures) else self._unit(x)
        return self.graph.op("FusedMatMul", unit, self._matrix(), transBatchA=1)

    def finish(self, u: Value, behind: int = 0) -> Value:
        """(..., H, ..., K) -> (..., H, ..., D), with so many axes between H and K."""
        return _SHAPES[type(self.phi)](self, u, behind)

    def _unit(self, x: Value) -> Value:
        """x over its length, which takes half as long from three operators as from ReduceL2."""
        graph = self.graph
        square = graph.op("ReduceSum", graph.op("Mul", x, x), graph.constant([-1]))
        longer = graph.op("Add", graph.op("Sqrt", square), graph.number(NORM_EPSILON))
        return graph.op("Div", x, longer)

    def _matrix(self) -> Value:
        """W / tau, computed when the graph is loaded, since all layers share W: (H, E, K)."""
        if isinstance(self.phi, LearnedFeatures):
            return self.graph.constant(array(self.phi.weight).transpose(0, 2, 1))
        assert self.W is not None, "a random feature map needs the matrices of a pool"
        drawn = self.graph.constant(array(self.W).transpose(0, 2, 1))
        return self.graph.op("Div", drawn, self.graph.constant(self._tau()[:, None]))

    def _tau(self) -> Array:
        """(H, 1)."""
        assert isinstance(self.phi, RandomFeatures | PositiveFeatures)
        return array(self.phi.tau)[:, None]

    def _waves(self, u: Value, _: int) -> Value:
        """[sin u, cos u]."""
        graph = self.graph
        return graph.op("Concat", graph.op("Sin", u), graph.op("Cos", u), axis=-1)

    def _exponentials(self, u: Value, behind: int) -> Value:
        """[exp(u - offset), exp(-u - offset)]."""
        graph, tau = self.graph, self._tau()
        offset = (1 / tau**2 + math.log(2) / 2).astype(np.float32)
        both = graph.op("Concat", u, graph.op("Neg", u), axis=-1)
        return graph.op("Exp", graph.op("Sub", both, graph.constant(_spread(offset, behind))))

    def _rectified(self, u: Value, behind: int) -> Value:
        """Relu of u + bias."""
        assert isinstance(self.phi, LearnedFeatures)
        bias = self.graph.constant(_spread(array(self.phi.bias), behind))
        return self.graph.op("Relu", self.graph.op("Add", u, bias))


_SHAPES = {
    RandomFeatures: Features._waves,
    PositiveFeatures: Features._exponentials,
    LearnedFeatures: Features._rectified,
}
"""What makes features of projections."""


def _spread(numbers: Array, behind: int) -> Array:
    """(H, K) -> (H, 1, ..., K)."""
    return numbers.reshape(len(numbers), *(1,) * behind, -1)
