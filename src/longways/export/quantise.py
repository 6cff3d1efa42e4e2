"""How weights stand in a graph: as int8, four times smaller.

N inputs, M outputs of a linear map, V words, d model size.

Every output has a scale of its own, and so has every row that is multiplied: it is rounded to 8
bits when its turn comes. Products of 8-bit numbers add up to whole numbers, which are exact in any
order. So the numbers of a window never depend on the others of its batch, as they would with one
scale for the whole batch, nor on how a processor likes to add.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from longways.export.graph_builder import FLOAT, Graph, Value
from longways.export.weights import Array, Weights

_MOST, _ZERO = 127, 128
"""The largest 8-bit number, and what is added to a row to leave none below zero."""


class Int8(Weights):
    """Weights as 8-bit numbers with a scale for each output.

    Products are of 8-bit numbers too. As "float32" they are slower, and round nothing but the
    weights.
    """

    def __init__(self, products: Literal["int8", "float32"] = "int8") -> None:
        self._product = {"int8": _few_products, "float32": _float_products}[products]

    def multiply(self, graph: Graph, x: Value, weight: Array, bias: Array | None) -> Value:
        """A product of whole numbers, brought back to float32."""
        numbers, scales = quantise(weight)
        # Not shared: ONNX Runtime could not turn it to other numbers where these would saturate.
        product = self._product(graph, x, graph.own_constant(numbers.T), graph.constant(scales))
        return product if bias is None else graph.op("Add", product, graph.constant(bias))

    def lookup(self, graph: Graph, tokens: Value, table: Array) -> Value:
        """Rows of the table, brought back to float32."""
        numbers, scales = quantise(table)
        rows = graph.op("Gather", graph.constant(numbers), tokens)
        steps = graph.op("Gather", graph.constant(scales[:, None]), tokens)
        return graph.op("Mul", graph.op("Cast", rows, to=FLOAT), steps)

    def words(self, graph: Graph, x: Value, table: Array) -> Value:
        """A product with the table, turned when the graph is loaded."""
        numbers, scales = quantise(table)
        turned = graph.op("Transpose", graph.constant(numbers), perm=[1, 0])
        flat = graph.reshape(graph.constant(scales[:, None]), -1)
        return self._product(graph, x, turned, flat)

    def for_many_rows(self) -> Weights:
        """With the scales of outputs inside the product, which so is written once less."""
        if self._product is not _few_products:
            return self
        many = Int8()
        many._product = _many_products
        return many


def quantise(weight: Array) -> tuple[NDArray[np.int8], Array]:
    """Numbers (M, N) and scales (M,): weight = number scale, symmetric."""
    largest = np.abs(weight).max(1, keepdims=True)
    scales = np.where(largest > 0, largest / _MOST, 1).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales[:, 0]


def _few_products(graph: Graph, x: Value, numbers: Value, scales: Value) -> Value:
    """Scaled back in operators of their own: ONNX Runtime is slow to begin with many scales."""
    whole, largest = _whole_product(graph, x, numbers, graph.number(1))
    return graph.op("Mul", graph.op("Mul", whole, _steps(graph, scales)), largest)


def _many_products(graph: Graph, x: Value, numbers: Value, scales: Value) -> Value:
    """The same to the last bit, but the numbers are written once less."""
    whole, largest = _whole_product(graph, x, numbers, _steps(graph, scales))
    return graph.op("Mul", whole, largest)


def _steps(graph: Graph, scales: Value) -> Value:
    """What a whole number stands for in each output, made when the graph is loaded."""
    return graph.op("Mul", scales, graph.number(1 / _MOST))


def _whole_product(graph: Graph, x: Value, numbers: Value, steps: Value) -> tuple[Value, Value]:
    """Rows of x, each over its largest number, rounded and multiplied; and these numbers.

    A row of zeros is none over zero, whatever that is rounded to, but times zero in the end.
    """
    step, zero = graph.number(1 / _MOST), graph.constant(np.array(_ZERO, dtype=np.uint8))
    largest = graph.op("ReduceMax", graph.op("Abs", x), graph.constant([-1]))  # (..., 1)
    rounded = graph.op("QuantizeLinear", graph.op("Div", x, largest), step, zero)
    one = graph.number(1)
    return graph.op("MatMulIntegerToFloat", rounded, numbers, one, steps, zero), largest


def _float_products(graph: Graph, x: Value, numbers: Value, scales: Value) -> Value:
    """x times the weight as it was rounded, which is made when the graph is loaded."""
    weight = graph.op("Mul", graph.op("Cast", numbers, to=FLOAT), scales)
    return graph.op("MatMul", x, weight)
