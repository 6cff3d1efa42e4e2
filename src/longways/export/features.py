"""Feature maps as graphs.

M tokens of any batch, H heads, E head size, D features.

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
from longways.export.weights import array

FLOOR = MIN_NORM / FEATURE_SCALE**2


class Features:
    """phi of one attention layer."""

    def __init__(self, graph: Graph, phi: FeatureMap, W: Tensor | None) -> None:
        self.graph, self.phi, self.count = graph, phi, phi.features
        learned = isinstance(phi, LearnedFeatures)
        self._matrix, self._shift = self._learned() if learned else self._random(W)

    def __call__(self, x: Value) -> Value:
        """(M, H, E) -> (H, M, D)."""
        if not isinstance(self.phi, LearnedFeatures):
            x = self._unit(x)
        x = self.graph.op("Transpose", x, perm=[1, 0, 2])  # (H, M, E)
        u = self.graph.op("Add", self.graph.op("MatMul", x, self._matrix), self._shift)
        return self.graph.op(_SHAPES[type(self.phi)], u)

    def _unit(self, x: Value) -> Value:
        last = self.graph.constant([-1])
        length = self.graph.op("ReduceL2", x, last)
        longer = self.graph.op("Add", length, self.graph.number(NORM_EPSILON))
        return self.graph.op("Div", x, longer)

    def _learned(self) -> tuple[Value, Value]:
        assert isinstance(self.phi, LearnedFeatures)
        matrix = array(self.phi.weight).transpose(0, 2, 1)  # (H, E, K)
        return self.graph.constant(matrix), self.graph.constant(array(self.phi.bias)[:, None])

    def _random(self, W: Tensor | None) -> tuple[Value, Value]:
        """W / tau (H, E, 2 K), computed when the graph is loaded, and what is added to its product.

        All layers share W. A cosine is a sine with a quarter turn ahead, so one operator does both.
        """
        assert isinstance(self.phi, RandomFeatures | PositiveFeatures)
        assert W is not None, "a random feature map needs the matrices of a pool"
        graph, tau = self.graph, array(self.phi.tau)[:, None, None]
        drawn = graph.constant(array(W).transpose(0, 2, 1))
        sharp = graph.op("Div", drawn, graph.constant(tau))
        if isinstance(self.phi, RandomFeatures):
            turn = np.repeat([0, math.pi / 2], W.shape[1]).astype(np.float32)
            turns = np.broadcast_to(turn, (len(tau), 1, len(turn)))
            return graph.op("Concat", sharp, sharp, axis=2), graph.constant(turns)
        mirrored = graph.op("Neg", sharp)
        offset = (-(1 / tau**2 + math.log(2) / 2)).astype(np.float32)
        return graph.op("Concat", sharp, mirrored, axis=2), graph.constant(offset)


_SHAPES = {RandomFeatures: "Sin", PositiveFeatures: "Exp", LearnedFeatures: "Relu"}
"""What makes a feature of a projection."""
