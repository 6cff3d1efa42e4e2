"""Int8 weights in a graph, which are four times smaller.

N inputs, M outputs of a linear map, V vocabulary, d model size.

Every output has its own scale, and so has every row of activations, which is quantised at run time.
Int8 products are summed as integers, which is exact in any order. So the numbers of a window do not
depend on the other windows of its batch, as they would with one scale for the whole batch, nor on
the order in which a processor sums.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from longways.export.graph_builder import FLOAT, Graph, Value
from longways.export.weights import Array, Weights

_MAX_INT8, _ZERO_POINT = 127, 128
"""The largest int8 value, and the zero point of uint8 activations."""


class Int8(Weights):
    """Int8 weights with a scale for each output.

    Matmuls are int8, too. With `products="float32"` only the weights are quantised; that is slower.
    """

    def __init__(self, products: Literal["int8", "float32"] = "int8") -> None:
        self._product = {"int8": _separate_scales, "float32": _dequantised_weights}[products]

    def multiply(self, graph: Graph, x: Value, weight: Array, bias: Array | None) -> Value:
        """An integer matmul, rescaled to float32."""
        numbers, scales = quantise(weight)
        # A shared constant would keep ONNX Runtime from converting it where int8 saturates.
        product = self._product(
            graph, x, graph.unshared_constant(numbers.T), graph.constant(scales)
        )
        return product if bias is None else graph.op("Add", product, graph.constant(bias))

    def lookup(self, graph: Graph, tokens: Value, table: Array) -> Value:
        """Rows of the table, rescaled to float32."""
        numbers, scales = quantise(table)
        rows = graph.op("Gather", graph.constant(numbers), tokens)
        steps = graph.op("Gather", graph.constant(scales[:, None]), tokens)
        return graph.op("Mul", graph.op("Cast", rows, to=FLOAT), steps)

    def logits(self, graph: Graph, x: Value, table: Array, any_rows: bool = False) -> Value:
        """A matmul with the table, which is transposed when the graph is loaded."""
        numbers, scales = quantise(table)
        transposed = graph.op("Transpose", graph.constant(numbers), perm=[1, 0])
        flat = graph.reshape(graph.constant(scales[:, None]), -1)
        return self._product(graph, x, transposed, flat, any_rows)

    def for_large_batches(self) -> Weights:
        """Int8 weights whose output scales are applied inside the matmul operator."""
        if self._product is not _separate_scales:
            return self
        fused = Int8()
        fused._product = _fused_scales
        return fused


def quantise(weight: Array) -> tuple[NDArray[np.int8], Array]:
    """Symmetric quantisation: integers (M, N) and scales (M,) whose product is the weight."""
    largest = np.abs(weight).max(1, keepdims=True)
    scales = np.where(largest > 0, largest / _MAX_INT8, 1).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales[:, 0]


def _separate_scales(
    graph: Graph, x: Value, numbers: Value, scales: Value, any_rows: bool = False
) -> Value:
    """A matmul rescaled by separate operators, since many scales slow down ONNX Runtime's start."""
    integers, largest = _integer_matmul(graph, x, numbers, graph.number(1), any_rows)
    return graph.op("Mul", graph.op("Mul", integers, _steps(graph, scales)), largest)


def _fused_scales(
    graph: Graph, x: Value, numbers: Value, scales: Value, any_rows: bool = False
) -> Value:
    """The bit-identical matmul with output scales inside, which saves one pass over the result."""
    scaled, largest = _integer_matmul(graph, x, numbers, _steps(graph, scales), any_rows)
    return graph.op("Mul", scaled, largest)


def _steps(graph: Graph, scales: Value) -> Value:
    """The value of one integer step in each output, computed when the graph is loaded."""
    return graph.op("Mul", scales, graph.number(1 / _MAX_INT8))


def _integer_matmul(
    graph: Graph, x: Value, numbers: Value, steps: Value, any_rows: bool
) -> tuple[Value, Value]:
    """The matmul of x, each row divided by its largest absolute value, and these largest values.

    A row of zeros is divided by zero, but its result is multiplied by zero in the end. Without any
    row, ReduceMax of ONNX Runtime 1.31 does not reduce the shape; `any_rows` corrects it.
    """
    step, zero = graph.number(1 / _MAX_INT8), graph.constant(np.array(_ZERO_POINT, dtype=np.uint8))
    largest = graph.op("ReduceMax", graph.op("Abs", x), graph.constant([-1]))  # (..., 1)
    if any_rows:
        rows = graph.op("Shape", x, end=-1)
        shape = graph.op("Concat", rows, graph.constant([1]), axis=0)
        largest = graph.op("Reshape", largest, shape, allowzero=1)
    rounded = graph.op("QuantizeLinear", graph.op("Div", x, largest), step, zero)
    one = graph.number(1)
    return graph.op("MatMulIntegerToFloat", rounded, numbers, one, steps, zero), largest


def _dequantised_weights(
    graph: Graph, x: Value, numbers: Value, scales: Value, _any_rows: bool = False
) -> Value:
    """A float32 matmul with the quantised weight, which is rescaled when the graph is loaded.

    It needs no care without rows.
    """
    weight = graph.op("Mul", graph.op("Cast", numbers, to=FLOAT), scales)
    return graph.op("MatMul", x, weight)
