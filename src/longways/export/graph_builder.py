"""A builder of ONNX graphs: operators and constants are added one by one and referred to by name.

The graphs are written by hand, with one fused operator where a traced model would have ten small
ones. ONNX Runtime folds operators on constants when it loads a graph, so large tables that can be
computed from small constants need no space on the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from longways.decoding.onnx.session import APPENDED, IN_PLACE
from longways.export.constants import Constants, digest

Value = str
"""The name of a tensor in a graph; "" for an omitted optional input."""

FLOAT, INT32, BOOL = TensorProto.FLOAT, TensorProto.INT32, TensorProto.BOOL
"""Target types of `Cast`."""

_MICROSOFT = "com.microsoft"
_OPSETS = (("", 21), (_MICROSOFT, 1))
_IR_VERSION = 10
_FUSED = {
    "BiasGelu",
    "FusedMatMul",
    "LinearAttention",
    "MatMulIntegerToFloat",
    "MultiHeadAttention",
    "QuickGelu",
}
"""Operators of ONNX Runtime; all others are standard ONNX operators."""

_TYPES = {
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.int64): TensorProto.INT64,
    np.dtype(np.int32): TensorProto.INT32,
}


class Graph:
    """An ONNX graph, to which nodes, constants, inputs and outputs are added in order."""

    def __init__(self, name: str, constants: Constants) -> None:
        self.name, self._shared = name, constants
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], Value] = {}
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._renamed: dict[Value, Value] = {}
        self._shapes: dict[tuple[int | Value, ...], Value] = {}
        self.in_place: list[str] = []
        """State arrays that no operator reads after they are written."""
        self.appended: list[str] = []
        """State arrays whose outputs are the new tokens alone."""

    def input(self, name: str, dtype: type[np.generic], shape: Sequence[int | str]) -> Value:
        """Add an input; a dimension with a name may have any size."""
        self._inputs.append(_info(name, dtype, shape))
        return name

    def output(
        self, name: str, value: Value, dtype: type[np.generic], shape: Sequence[int | str]
    ) -> None:
        """Make a value an output of this name."""
        assert value not in self._renamed, f"{value} is already an output"
        self._renamed[value] = name
        self._outputs.append(_info(name, dtype, shape))

    def constant(self, array: NDArray[Any] | Sequence[int]) -> Value:
        """Add a constant tensor; equal constants are added once."""
        array = np.asarray(array, order="C")
        key = digest(array)
        if key not in self._constants:
            self._constants[key] = self.unshared_constant(array)
        return self._constants[key]

    def unshared_constant(self, array: NDArray[Any]) -> Value:
        """Add a constant for a single operator; equal bytes are still stored once."""
        name = f"constant.{len(self._weights)}"
        self._weights.append(self._shared.tensor(np.asarray(array, order="C"), name))
        return name

    def number(self, value: float) -> Value:
        """Add a scalar constant."""
        return self.constant(np.array(value, dtype=np.float32))

    def op(self, kind: str, *inputs: Value, **attributes: Any) -> Value:
        """Add an operator and return its result."""
        return self.ops(kind, *inputs, count=1, **attributes)[0]

    def ops(self, kind: str, *inputs: Value, count: int, **attributes: Any) -> list[Value]:
        """Add an operator and return its first `count` results."""
        names = [f"{kind}.{len(self._nodes)}.{i}" for i in range(count)]
        domain = _MICROSOFT if kind in _FUSED else ""
        node = helper.make_node(kind, inputs, names, domain=domain, **attributes)
        self._nodes.append(node)
        return names

    def split(self, x: Value, sizes: Sequence[int]) -> list[Value]:
        """Split the last axis into parts of these sizes."""
        if len(sizes) == 1:
            return [x]
        return self.ops("Split", x, self.constant(list(sizes)), count=len(sizes), axis=-1)

    def reshape(self, x: Value, *sizes: int | Value) -> Value:
        """Reshape; a size is a number (0: unchanged, -1: inferred) or a value with some sizes."""
        return self.op("Reshape", x, self.shape(*sizes))

    def shape(self, *sizes: int | Value) -> Value:
        """A shape tensor of the sizes, as `reshape` takes them; equal shapes are added once."""
        if all(isinstance(size, int) for size in sizes):
            return self.constant([int(size) for size in sizes])
        if sizes not in self._shapes:
            parts = [size if isinstance(size, str) else self.constant([size]) for size in sizes]
            self._shapes[sizes] = self.op("Concat", *parts, axis=0)
        return self._shapes[sizes]

    def size(self, x: Value, axis: int) -> Value:
        """The size of an axis, as a tensor with one element."""
        return self.op("Shape", x, start=axis, end=axis + 1)

    def model(self, only: Sequence[str] = ()) -> onnx.ModelProto:
        """The finished ONNX model; with `only`, these outputs and what they are computed from.

        ONNX Runtime runs every node of a graph, also one that nothing reads. Inputs stay.
        """
        outputs = [one for one in self._outputs if not only or one.name in only]
        nodes = [self._with_output_names(node) for node in self._nodes]
        nodes, weights = _needed(nodes, self._weights, [one.name for one in outputs])
        graph = helper.make_graph(nodes, self.name, self._inputs, outputs, weights)
        opsets = [helper.make_opsetid(*opset) for opset in _OPSETS]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="longways"
        )
        properties = {
            IN_PLACE: self.in_place,
            **({APPENDED: self.appended} if self.appended else {}),
        }
        helper.set_model_props(model, {key: " ".join(names) for key, names in properties.items()})
        return model

    def _with_output_names(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """The node, in which outputs of the graph have the names of `output`."""
        renamed = onnx.NodeProto()
        renamed.CopyFrom(node)
        for names in (renamed.input, renamed.output):
            names[:] = [self._renamed.get(name, name) for name in names]
        return renamed


def _needed(
    nodes: Sequence[onnx.NodeProto], weights: Sequence[onnx.TensorProto], outputs: Sequence[Value]
) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """The nodes and the constants from which the outputs are computed."""
    read, found = set(outputs), list[onnx.NodeProto]()
    for node in reversed(nodes):
        if not read.isdisjoint(node.output):
            read.update(node.input)
            found.append(node)
    return found[::-1], [weight for weight in weights if weight.name in read]


def _info(name: str, dtype: type[np.generic], shape: Sequence[int | str]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, _TYPES[np.dtype(dtype)], shape)
