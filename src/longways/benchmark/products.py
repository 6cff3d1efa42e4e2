"""The products of an exported graph, cut out of it: the same weights, and nothing around them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import onnx
from onnx import TensorProto, helper

PRODUCT = "MatMulIntegerToFloat"


def products_of(graph: onnx.ModelProto) -> tuple[onnx.ModelProto, dict[str, int]]:
    """The products of 8-bit numbers in a graph, and how wide what each of them gives is."""
    made = {name: node for node in graph.graph.node for name in node.output}
    nodes, inputs, widths = list[onnx.NodeProto](), dict[str, int](), dict[str, int]()
    for node in _of_kind(graph, PRODUCT):
        size, widths[node.output[0]] = _sizes(graph, made, node)
        product = onnx.NodeProto()
        product.CopyFrom(node)
        product.input[0] = f"rows.{size}"
        inputs[product.input[0]] = size
        nodes += [*_ancestors(made, list(node.input[1:])), product]
    alone = onnx.ModelProto()
    alone.CopyFrom(graph)
    kept = {name: node for node in nodes for name in node.output}  # each of them once
    for repeated, new in (
        (alone.graph.node, list({id(node): node for node in kept.values()}.values())),
        (alone.graph.input, [_info(name, TensorProto.UINT8, n) for name, n in inputs.items()]),
        (alone.graph.output, [_info(name, TensorProto.FLOAT, n) for name, n in widths.items()]),
    ):
        del repeated[:]
        repeated.extend(new)
    return alone, widths


def _of_kind(graph: onnx.ModelProto, kind: str) -> list[onnx.NodeProto]:
    return [node for node in graph.graph.node if node.op_type == kind]


def _sizes(
    graph: onnx.ModelProto, made: Mapping[str, onnx.NodeProto], product: onnx.NodeProto
) -> tuple[int, int]:
    """Inputs and outputs of a product; its weights may be turned when the graph is loaded."""
    dims = {one.name: tuple(one.dims) for one in graph.graph.initializer}
    weight = product.input[1]
    if weight in dims:
        size, width = dims[weight]
    else:
        width, size = dims[made[weight].input[0]]
    return size, width


def _ancestors(made: Mapping[str, onnx.NodeProto], names: Sequence[str]) -> list[onnx.NodeProto]:
    """What makes these values of constants, in order."""
    found = list[onnx.NodeProto]()
    for name in names:
        if name in made:
            found += [*_ancestors(made, list(made[name].input)), made[name]]
    return found


def _info(name: str, kind: int, size: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, ["windows", 1, size])


def weight_bytes(graph: onnx.ModelProto) -> int:
    """Bytes of the weights that products read."""
    made = {name: node for node in graph.graph.node for name in node.output}
    return sum(math.prod(_sizes(graph, made, node)) for node in _of_kind(graph, PRODUCT))
