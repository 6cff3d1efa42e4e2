"""How weights stand in a graph: as int8, four times smaller.

N inputs, M outputs of a linear map, G groups of inputs, V words, d model size.

Every group of up to 64 neighbouring inputs of an output has a scale of its own. The runtime
quantises what it multiplies too, but row by row: the numbers of a window never depend on the others
of its batch, as they would with one scale for the whole batch.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from longways.export.graph import Graph, Value
from longways.export.weights import Array, Weights

GROUP = 64
"""Inputs that share a scale at most. With groups of 128, ONNX Runtime adds up a single row in
another order than several, and its numbers would depend on the batch."""

_SMALLEST_GROUP = 16
_ZERO, _MOST = 128, 127
_ACCURACY = {"float32": 1, "int8": 4}
"""What ONNX Runtime calls the kinds of products."""


class Int8(Weights):
    """Weights as 8-bit numbers with a scale for each group; sums are in float32.

    Products are of 8-bit numbers too. As "float32" they are slower, and round nothing but the
    weights.
    """

    def __init__(self, products: Literal["int8", "float32"] = "int8") -> None:
        self.accuracy = _ACCURACY[products]

    def multiply(self, graph: Graph, x: Value, weight: Array, bias: Array | None) -> Value:
        """One fused product."""
        outputs, inputs = weight.shape
        group = group_size(inputs)
        numbers, scales = quantise(weight, group)
        operands = [x, graph.constant(numbers), graph.constant(scales)]
        if bias is not None:
            operands += ["", "", graph.constant(bias)]
        sizes = {"K": inputs, "N": outputs, "bits": 8, "block_size": group}
        return graph.op("MatMulNBits", *operands, accuracy_level=self.accuracy, **sizes)

    def lookup(self, graph: Graph, tokens: Value, table: Array) -> Value:
        """Rows of the table, brought back to float32."""
        group = group_size(table.shape[1])
        numbers, scales = quantise(table, group)
        spread = graph.op("Unsqueeze", graph.constant(scales), graph.constant([2]))
        rows = graph.op(
            "GatherBlockQuantized",
            graph.constant(numbers),
            tokens,
            spread,
            bits=8,
            block_size=group,
            gather_axis=0,
            quantize_axis=2,
        )
        flat = graph.reshape(rows, 0, 0, -1)  # (B, T, G x group)
        return flat if not table.shape[1] % group else graph.split(flat, _cut(table, group))[0]

    def words(self, graph: Graph, x: Value, table: Array) -> Value:
        """The same product as everywhere: the table is stored as a weight is."""
        return self.multiply(graph, x, table, None)


def group_size(inputs: int) -> int:
    """The largest power of two, from 16 to 64, that divides the inputs, or 16."""
    group = GROUP
    while inputs % group and group > _SMALLEST_GROUP:
        group //= 2
    return group


def quantise(weight: Array, group: int) -> tuple[NDArray[np.uint8], Array]:
    """Numbers (M, G, group) and scales (M, G): weight = (number - 128) scale, symmetric."""
    outputs, inputs = weight.shape
    filled = np.pad(weight, ((0, 0), (0, -inputs % group)))
    groups = filled.reshape(outputs, -1, group)
    largest = np.abs(groups).max(-1, keepdims=True)
    scales = np.where(largest > 0, largest / _MOST, 1).astype(np.float32)
    numbers = np.rint(groups / scales) + _ZERO
    return numbers.astype(np.uint8), scales[..., 0]


def _cut(table: Array, group: int) -> list[int]:
    """The real columns of a table, and those that fill up its last group."""
    return [table.shape[1], -table.shape[1] % group]
