"""The products of an exported graph, cut out of it: the same weights, and nothing around them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx
from onnx import TensorProto, helper

PRODUCT = "MatMulIntegerToFloat"


def products_of(graph: onnx.ModelProto) -> onnx.ModelProto:
    """The products of 8-bit numbers in a graph, of rows that are rounded already.

    Rows of N numbers are the input `rows.N`; what a product gives has its name in the graph.
    """
    alone, sizes = onnx.ModelProto(), product_sizes(graph)
    alone.CopyFrom(graph)
    products = [node for node in alone.graph.node if node.op_type == PRODUCT]
    wanted = {*sizes, *_behind(_makers(graph), (x for node in products for x in node.input[1:]))}
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
    """Inputs and outputs of each product, by the name of what it gives."""
    dims = {one.name: tuple(one.dims) for one in graph.graph.initializer}
    for name, node in _makers(graph).items():
        if node.op_type == "Transpose" and node.input[0] in dims:  # when the graph is loaded
            dims[name] = dims[node.input[0]][::-1]
    products = (node for node in graph.graph.node if node.op_type == PRODUCT)
    return {node.output[0]: dims[node.input[1]] for node in products}


def _makers(graph: onnx.ModelProto) -> dict[str, onnx.NodeProto]:
    """The operator that each value comes from."""
    return {name: node for node in graph.graph.node for name in node.output}


def _behind(makers: Mapping[str, onnx.NodeProto], names: Iterable[str]) -> set[str]:
    """Those of the values, and of all that they are made of, that come from operators."""
    made = {name for name in names if name in makers}
    return made.union(*(_behind(makers, makers[name].input) for name in made))


def _info(name: str, kind: int, size: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, ["windows", 1, size])


def weight_bytes(graph: onnx.ModelProto) -> int:
    """Bytes of the weights that products read."""
    return sum(size * width for size, width in product_sizes(graph).values())
