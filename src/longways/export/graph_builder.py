"""An ONNX graph under construction: values go in and come out by name, constants are kept once.

Graphs are written by hand, one fused operator where a traced model would have ten small ones. An
operator on constants alone is not saved as its result: the runtime computes it once when it loads
the graph, so tables that follow from little take up no room on the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from longways.decoding.onnx.session import IN_PLACE
from longways.export.constants import Constants, digest

Value = str
"""The name of a tensor in a graph; "" where an optional one is left out."""

FLOAT, INT32, BOOL = TensorProto.FLOAT, TensorProto.INT32, TensorProto.BOOL
"""Types to cast to."""

_MICROSOFT = "com.microsoft"
_OPSETS = (("", 21), (_MICROSOFT, 1))
_IR_VERSION = 10
_FUSED = {
    "BiasGelu",
    "FusedMatMul",
    "LinearAttention",
    "MatMulIntegerToFloat",
    "MultiHeadAttention",
}
"""Operators of ONNX Runtime itself; all others are of the standard."""

_TYPES = {
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.int64): TensorProto.INT64,
    np.dtype(np.int32): TensorProto.INT32,
}


class Graph:
    """Nodes, constants, inputs and outputs, in the order they were asked for."""

    def __init__(self, name: str, constants: Constants) -> None:
        self.name, self._kept = name, constants
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], Value] = {}
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._renamed: dict[Value, Value] = {}
        self._shapes: dict[tuple[int | Value, ...], Value] = {}
        self.in_place: list[str] = []
        """Parts of the state that nothing reads once they are written."""

    def input(self, name: str, dtype: type[np.generic], shape: Sequence[int | str]) -> Value:
        """A tensor that the caller gives; a dimension with a name may have any size."""
        self._inputs.append(_info(name, dtype, shape))
        return name

    def output(
        self, name: str, value: Value, dtype: type[np.generic], shape: Sequence[int | str]
    ) -> None:
        """Give a value to the caller under a name, which it has from then on."""
        assert value not in self._renamed, f"{value} is given to the caller twice"
        self._renamed[value] = name
        self._outputs.append(_info(name, dtype, shape))

    def constant(self, array: NDArray[Any] | Sequence[int]) -> Value:
        """A tensor that is part of the graph; the same one given twice is kept once."""
        array = np.asarray(array, order="C")
        key = digest(array)
        if key not in self._constants:
            self._constants[key] = self.own_constant(array)
        return self._constants[key]

    def own_constant(self, array: NDArray[Any]) -> Value:
        """A tensor that no other operator uses, though its bytes are still kept once."""
        name = f"constant.{len(self._weights)}"
        self._weights.append(self._kept.tensor(np.asarray(array, order="C"), name))
        return name

    def number(self, value: float) -> Value:
        """A float of no dimensions."""
        return self.constant(np.array(value, dtype=np.float32))

    def op(self, kind: str, *inputs: Value, **attributes: Any) -> Value:
        """The result of an operator."""
        return self.ops(kind, *inputs, count=1, **attributes)[0]

    def ops(self, kind: str, *inputs: Value, count: int, **attributes: Any) -> list[Value]:
        """The first `count` results of an operator."""
        names = [f"{kind}.{len(self._nodes)}.{i}" for i in range(count)]
        domain = _MICROSOFT if kind in _FUSED else ""
        node = helper.make_node(kind, inputs, names, domain=domain, **attributes)
        self._nodes.append(node)
        return names

    def split(self, x: Value, sizes: Sequence[int]) -> list[Value]:
        """Parts of the last axis."""
        if len(sizes) == 1:
            return [x]
        return self.ops("Split", x, self.constant(list(sizes)), count=len(sizes), axis=-1)

    def reshape(self, x: Value, *sizes: int | Value) -> Value:
        """Sizes are numbers (0: as before, -1: what is left) or values that hold some of them."""
        return self.op("Reshape", x, self.shape(*sizes))

    def shape(self, *sizes: int | Value) -> Value:
        """What `reshape` makes of its sizes, to be used more than once."""
        if all(isinstance(size, int) for size in sizes):
            return self.constant([int(size) for size in sizes])
        if sizes not in self._shapes:
            parts = [size if isinstance(size, str) else self.constant([size]) for size in sizes]
            self._shapes[sizes] = self.op("Concat", *parts, axis=0)
        return self._shapes[sizes]

    def size(self, x: Value, axis: int) -> Value:
        """How long an axis is, as a tensor of one number."""
        return self.op("Shape", x, start=axis, end=axis + 1)

    def model(self) -> onnx.ModelProto:
        """The whole graph."""
        nodes = [self._with_names(node) for node in self._nodes]
        graph = helper.make_graph(nodes, self.name, self._inputs, self._outputs, self._weights)
        opsets = [helper.make_opsetid(*opset) for opset in _OPSETS]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="longways"
        )
        helper.set_model_props(model, {IN_PLACE: " ".join(self.in_place)})
        return model

    def _with_names(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """The node with the names that the caller knows."""
        renamed = onnx.NodeProto()
        renamed.CopyFrom(node)
        for names in (renamed.input, renamed.output):
            names[:] = [self._renamed.get(name, name) for name in names]
        return renamed


def _info(name: str, dtype: type[np.generic], shape: Sequence[int | str]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, _TYPES[np.dtype(dtype)], shape)
