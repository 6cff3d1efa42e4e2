"""How weights are stored in a graph: the interface, and float32.

N inputs, M outputs of a linear map, V vocabulary, d model size.
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
    """A linear map that is not a module of the model."""

    weight: Tensor  # (M, N)
    bias: Tensor  # (M,)


AnyLinear: TypeAlias = nn.Linear | Linear


class Weights(ABC):
    """The interface of a storage format for weights."""

    @abstractmethod
    def multiply(self, graph: Graph, x: Value, weight: Array, bias: Array | None) -> Value:
        """x (..., N) times the transposed weight (M, N), plus the bias (M,) if there is one."""

    @abstractmethod
    def lookup(self, graph: Graph, tokens: Value, table: Array) -> Value:
        """The rows (..., d) of a table (V, d) for tokens (...)."""

    @abstractmethod
    def logits(self, graph: Graph, x: Value, table: Array, any_rows: bool = False) -> Value:
        """Logits (..., V) of x (..., d); the table is that of `lookup`, which is stored once.

        With `any_rows`, x may have no rows.
        """

    def for_large_batches(self) -> Weights:
        """The variant of this format that is fastest if x has hundreds of rows."""
        return self


class Float32(Weights):
    """Weights in float32."""

    def multiply(self, graph: Graph, x: Value, weight: Array, bias: Array | None) -> Value:
        """A float32 matmul; the weight is stored as (N, M)."""
        product = graph.op("MatMul", x, graph.constant(weight.T))
        return product if bias is None else graph.op("Add", product, graph.constant(bias))

    def lookup(self, graph: Graph, tokens: Value, table: Array) -> Value:
        """Rows of the table."""
        return graph.op("Gather", graph.constant(table), tokens)

    def logits(self, graph: Graph, x: Value, table: Array, any_rows: bool = False) -> Value:
        """A matmul with the table, without a transposed copy."""
        return graph.op("FusedMatMul", x, graph.constant(table), transB=1)


def array(tensor: Tensor) -> Array:
    """A parameter as a float32 array."""
    found: Array = tensor.detach().float().cpu().numpy()
    return found


def join(*linears: AnyLinear) -> tuple[Array, Array]:
    """The concatenated weights and biases of several linear maps of the same input."""
    weight = np.concatenate([array(linear.weight) for linear in linears])
    return weight, np.concatenate([array(linear.bias) for linear in linears])
