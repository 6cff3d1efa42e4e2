"""The graphs of a shortlist, made from an exported decoder: its steps, and its output layer.

B windows, K beams, U tokens in any list, M tokens in the longest list, V vocabulary, C candidates.

What the output layer has for each token of the vocabulary (a row of the matrix, a scale, a bias)
becomes an input of the decoder. Another graph computes these inputs for given tokens. All other
operators stay, so a listed token has the same logit as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from longways.decoding.onnx.io_binding import NEW
from longways.decoding.onnx.session import (
    CONSTANTS_FILE,
    DECODER_FILE,
    LISTED_DECODERS,
    LISTED_ROWS_FILE,
    UNSIGNED_DECODER_FILE,
)
from longways.decoding.runtime import FORBIDDEN
from longways.errors import ConfigError

_ZERO_POINT = 128
"""The zero point of unsigned weights."""


class OutputLayer(NamedTuple):
    """The output layer of a decoder."""

    logits: str
    """The value with the logits (B, T, V)."""
    parts: dict[str, str]
    """Values that have an axis V and depend on constants only; their names as inputs."""
    computed: list[NodeProto]
    """The operators that compute these values, if they are not constants themselves."""
    constants: list[str]
    """The constants with V rows."""
    types: dict[str, int]
    """The types of the inputs."""
    values: set[str]
    """All values that the operators of the layer compute."""


def write_shortlist_graphs(folder: Path, vocabulary: int) -> None:
    """Write the graphs of a shortlist beside the exported graphs of a folder."""
    for name, listed in LISTED_DECODERS.items():
        if (folder / name).is_file():
            graph = _load(folder / name)
            (folder / listed).write_bytes(listed_decoder(graph, vocabulary).SerializeToString())
    decoder = _load(folder / DECODER_FILE)
    rows = rows_graph(decoder, vocabulary)
    (folder / LISTED_ROWS_FILE).write_bytes(rows.SerializeToString())
    if any(output.type.tensor_type.elem_type == TensorProto.INT8 for output in rows.graph.output):
        unsigned = listed_decoder(decoder, vocabulary, unsigned=True)
        (folder / UNSIGNED_DECODER_FILE).write_bytes(unsigned.SerializeToString())


def _load(path: Path) -> onnx.ModelProto:
    """A graph whose large constants stay in their file."""
    if not path.is_file() or not path.with_name(CONSTANTS_FILE).is_file():
        raise ConfigError(f"{path.parent} lacks {path.name} or {CONSTANTS_FILE}. Export it again.")
    return onnx.load(path, load_external_data=False)


def output_layer(decoder: onnx.ModelProto, vocabulary: int) -> OutputLayer:
    """Find the output layer: the operators between hidden vectors and `LogSoftmax`."""
    nodes = list(decoder.graph.node)
    (softmax,) = (node for node in nodes if node.op_type == "LogSoftmax")
    (hidden,) = (node for node in nodes if "first" in node.input)
    live = _after([one.name for one in decoder.graph.input], nodes)
    layer = [
        node
        for node in _before([softmax.input[0]], nodes, stop=hidden.output)
        if live & set(node.output)
    ]
    read = dict.fromkeys(name for node in layer for name in node.input if name not in live)
    tables = {one.name: one for one in decoder.graph.initializer if one.dims[:1] == [vocabulary]}
    rows = {name: sorted(_leaves(name, nodes) & set(tables)) for name in read}
    parts = {name: f"output.{n}" for n, name in enumerate(name for name in read if rows[name])}
    computed = _before(parts, nodes)
    types = {
        own: _part_type(tables[rows[name][0]], _before([name], nodes))
        for name, own in parts.items()
    }
    constants = sorted({one for name in parts for one in rows[name]})
    values = {name for node in layer for name in node.output}
    return OutputLayer(softmax.input[0], parts, computed, constants, types, values)


def _leaves(name: str, nodes: Sequence[NodeProto]) -> set[str]:
    """All values on which a value depends, itself included."""
    return {name}.union(*(node.input for node in _before([name], nodes)))


def _part_type(table: TensorProto, computed: Sequence[NodeProto]) -> int:
    """The type of a part: that of its constant, if operators only move it, else float32."""
    moved = all(node.op_type in ("Transpose", "Reshape") for node in computed)
    return table.data_type if moved else TensorProto.FLOAT


def rows_graph(decoder: onnx.ModelProto, vocabulary: int) -> onnx.ModelProto:
    """The graph from tokens `words` (U,) to the parts of the output layer for them."""
    layer = output_layer(decoder, vocabulary)
    taken = {name: layer.parts.get(name, f"{name}.taken") for name in layer.constants}
    nodes = [
        helper.make_node("Gather", [name, "words"], [taken[name]], axis=0)
        for name in layer.constants
    ]
    nodes += [_renamed(node, {**layer.parts, **taken}) for node in layer.computed]
    words = helper.make_tensor_value_info("words", TensorProto.INT64, ["listed"])
    outputs = [_info(name, kind) for name, kind in layer.types.items()]
    weights = _used(decoder, nodes)
    return _model(decoder, helper.make_graph(nodes, "rows", [words], outputs, weights))


def listed_decoder(
    decoder: onnx.ModelProto, vocabulary: int, *, unsigned: bool = False
) -> onnx.ModelProto:
    """The decoder for steps, whose output layer is an input and has listed tokens only.

    Inputs are `words` (U,), the ids of the columns; `places` (B, K, M), the columns of each window;
    `closed` (B, 1, M), minus infinity where a window has no further token; and the output layer.
    With `unsigned`, int8 weights are given as uint8, which no processor adds with saturation.
    """
    layer = output_layer(decoder, vocabulary)
    states = [one.name for one in decoder.graph.output if one.name.startswith(NEW)]
    kept = _before([layer.logits, *states], decoder.graph.node, stop=layer.parts)
    nodes = [  # an embedding may read the same table, but of all tokens
        _renamed(node, layer.parts if layer.values & set(node.output) else {}) for node in kept
    ]
    types, constants = dict(layer.types), list[TensorProto]()
    if unsigned:
        constants += _unsign(nodes, types)
    nodes += _choose(layer.logits, _forbidden(decoder), constants)
    inputs = [
        *(one for one in decoder.graph.input if one.name != "wanted"),
        helper.make_tensor_value_info("words", TensorProto.INT64, ["listed"]),
        helper.make_tensor_value_info("places", TensorProto.INT32, ["windows", "tokens", "own"]),
        helper.make_tensor_value_info("closed", TensorProto.FLOAT, ["windows", 1, "own"]),
        *(_info(name, kind) for name, kind in types.items()),
    ]
    outputs = [one for one in decoder.graph.output if one.name != "given"]
    weights = [*_used(decoder, nodes), *constants]
    return _model(decoder, helper.make_graph(nodes, "decoder", inputs, outputs, weights))


def _forbidden(decoder: onnx.ModelProto) -> str:
    """The constant (V,) that is minus infinity for tokens which are never chosen."""
    (best,) = (
        node
        for node in decoder.graph.node
        if node.op_type == "TopK" and node.input[1] != "candidates"
    )
    (looked_up,) = (
        node
        for node in decoder.graph.node
        if node.op_type == "Gather" and node.input[1] == best.output[1]
    )
    return str(looked_up.input[0])


def _choose(logits: str, forbidden: str, constants: list[TensorProto]) -> list[NodeProto]:
    """The operators from logits (B, K, U) to the best tokens of each window, as in the decoder."""
    constants.append(numpy_helper.from_array(np.array([len(FORBIDDEN)]), "listed.more"))
    node = helper.make_node
    return [
        node("GatherElements", [logits, "places"], ["listed.own"], axis=2),
        node("Add", ["listed.own", "closed"], ["listed.open"]),
        node("LogSoftmax", ["listed.open"], ["listed.scores"], axis=-1),
        node("Add", ["candidates", "listed.more"], ["listed.count"]),
        node("TopK", ["listed.scores", "listed.count"], ["listed.values", "listed.first"]),
        node("GatherElements", ["places", "listed.first"], ["listed.columns"], axis=2),
        node("Gather", ["words", "listed.columns"], ["listed.ids"]),
        node("Gather", [forbidden, "listed.ids"], ["listed.penalty"]),
        node("Add", ["listed.values", "listed.penalty"], ["listed.allowed"]),
        node("TopK", ["listed.allowed", "candidates"], ["scores", "listed.best"]),
        node("GatherElements", ["listed.ids", "listed.best"], ["ids"], axis=2),
    ]


def _unsign(nodes: list[NodeProto], types: dict[str, int]) -> list[TensorProto]:
    """Read int8 parts as uint8 with a zero point, which is returned."""
    name = "listed.zero"
    for node in nodes:
        if len(node.input) > 1 and types.get(node.input[1]) == TensorProto.INT8:
            assert node.op_type == "MatMulIntegerToFloat", node.op_type
            types[node.input[1]] = TensorProto.UINT8
            node.input[:] = [*node.input[:5], name]
    return [numpy_helper.from_array(np.array(_ZERO_POINT, np.uint8), name)]


def _used(decoder: onnx.ModelProto, nodes: Sequence[NodeProto]) -> list[TensorProto]:
    """The constants that these operators read."""
    read = {name for node in nodes for name in node.input}
    return [one for one in decoder.graph.initializer if one.name in read]


def _after(names: Iterable[str], nodes: Sequence[NodeProto]) -> set[str]:
    """All values that depend on some of these; operators are in topological order."""
    found = set(names)
    for node in nodes:
        if found & set(node.input):
            found |= set(node.output)
    return found


def _before(
    names: Iterable[str], nodes: Sequence[NodeProto], stop: Iterable[str] = ()
) -> list[NodeProto]:
    """All operators on which these values depend, in topological order, up to some values."""
    needed, stopped, found = set(names), set(stop), list[NodeProto]()
    for node in reversed(nodes):
        if needed & set(node.output) - stopped:
            needed |= set(node.input)
            found.append(node)
    return found[::-1]


def _renamed(node: NodeProto, names: dict[str, str]) -> NodeProto:
    """A copy of an operator in which values have other names."""
    copy = NodeProto()
    copy.CopyFrom(node)
    copy.input[:] = [names.get(name, name) for name in node.input]
    copy.output[:] = [names.get(name, name) for name in node.output]
    return copy


def _info(name: str, kind: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, None)


def _model(decoder: onnx.ModelProto, graph: onnx.GraphProto) -> onnx.ModelProto:
    """A model with the operator sets and the notes of the decoder."""
    model = helper.make_model(
        graph,
        opset_imports=decoder.opset_import,
        ir_version=decoder.ir_version,
        producer_name="longways",
    )
    helper.set_model_props(model, {one.key: one.value for one in decoder.metadata_props})
    return model
