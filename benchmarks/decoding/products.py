"""The int8 matmuls of an exported graph, extracted with their weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx
from onnx import TensorProto, helper

PRODUCT = "MatMulIntegerToFloat"


def products_of(graph: onnx.ModelProto) -> onnx.ModelProto:
    """A graph with only the int8 matmuls of `graph`, whose inputs are quantised already.

    The input of matmuls with N inputs is `rows.N`; each output has its name in `graph`.
    """
    alone, sizes = onnx.ModelProto(), product_sizes(graph)
    alone.CopyFrom(graph)
    products = [node for node in alone.graph.node if node.op_type == PRODUCT]
    weights = (name for node in products for name in node.input[1:])
    wanted = {*sizes, *_computed(_makers(graph), weights)}
    for node in products:
        node.input[0] = f"rows.{sizes[node.output[0]][0]}"
    inputs = {f"rows.{size}": size for size, _ in sizes.values()}
    for kept, new in (
        (alone.graph.node, [node for node in alone.graph.node if node.output[0] in wanted]),
        (alone.graph.input, [_info(name, TensorProto.UINT8, n) for name, n in inputs.items()]),
        (alone.graph.output, [_info(name, TensorProto.FLOAT, n) for name, (_, n) in sizes.items()]),
    ):
        del kept[:]
        kept.extend(new)
    return alone


def product_sizes(graph: onnx.ModelProto) -> dict[str, tuple[int, int]]:
    """Number of inputs and outputs of each matmul, by the name of its output."""
    dims = {one.name: tuple(one.dims) for one in graph.graph.initializer}
    for name, node in _makers(graph).items():
        if (
            node.op_type == "Transpose" and node.input[0] in dims
        ):  # computed when the graph is loaded
            dims[name] = dims[node.input[0]][::-1]
    products = (node for node in graph.graph.node if node.op_type == PRODUCT)
    return {node.output[0]: dims[node.input[1]] for node in products}


def _makers(graph: onnx.ModelProto) -> dict[str, onnx.NodeProto]:
    """The operator that computes each value."""
    return {name: node for node in graph.graph.node for name in node.output}


def _computed(makers: Mapping[str, onnx.NodeProto], names: Iterable[str]) -> set[str]:
    """The values that operators compute, among `names` and all inputs of these operators."""
    made = {name for name in names if name in makers}
    return made.union(*(_computed(makers, makers[name].input) for name in made))


def _info(name: str, kind: int, size: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, ["windows", 1, size])


def weight_bytes(graph: onnx.ModelProto) -> int:
    """Bytes of the weights of all matmuls."""
    return sum(size * width for size, width in product_sizes(graph).values())
