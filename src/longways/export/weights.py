"""How weights stand in a graph: as they are, in float32.

N inputs, M outputs of a linear map, V words, d model size.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from longways.export.graph_builder import Graph, Value

Array = NDArray[np.float32]


class Linear(NamedTuple):
    """A linear map that the model does not have as a module."""

    weight: Tensor  # (M, N)
    bias: Tensor  # (M,)


AnyLinear: TypeAlias = nn.Linear | Linear


class Weights(ABC):
    """What the graphs ask of a way to store the weights."""

    @abstractmethod
    def multiply(self, graph: Graph, x: Value, weight: Array, bias: Array | None) -> Value:
        """x (..., N) times weight (M, N) transposed, plus a bias (M,) if there is one."""

    @abstractmethod
    def lookup(self, graph: Graph, tokens: Value, table: Array) -> Value:
        """The rows (..., d) of a table (V, d) at the tokens (...)."""

    @abstractmethod
    def words(self, graph: Graph, x: Value, table: Array) -> Value:
        """Logits (..., V) of x (..., d): the table of `lookup` itself, not stored again."""

    def for_many_rows(self) -> Weights:
        """The same, in the way that is the fastest where x has hundreds of rows."""
        return self


class Float32(Weights):
    """Weights as they were trained."""

    def multiply(self, graph: Graph, x: Value, weight: Array, bias: Array | None) -> Value:
        """A plain product; its weight is stored as (N, M)."""
        product = graph.op("MatMul", x, graph.constant(weight.T))
        return product if bias is None else graph.op("Add", product, graph.constant(bias))

    def lookup(self, graph: Graph, tokens: Value, table: Array) -> Value:
        """Rows of the table."""
        return graph.op("Gather", graph.constant(table), tokens)

    def words(self, graph: Graph, x: Value, table: Array) -> Value:
        """A product with the rows of the table, taken as they stand."""
        return graph.op("FusedMatMul", x, graph.constant(table), transB=1)


def array(tensor: Tensor) -> Array:
    """A parameter as the graphs need it."""
    found: Array = tensor.detach().float().cpu().numpy()
    return found


def join(*linears: AnyLinear) -> tuple[Array, Array]:
    """One weight and bias for several linear maps of the same input, side by side."""
    weight = np.concatenate([array(linear.weight) for linear in linears])
    return weight, np.concatenate([array(linear.bias) for linear in linears])
