"""Build a small graph and run it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.session import CONSTANTS_FILE, open_session
from longways.export.constants import Constants
from longways.export.graph_builder import Graph, Value

Arrays = dict[str, NDArray]


def run_graph(build: Callable[..., dict[str, Value]], **given: NDArray) -> Arrays:
    """The outputs of the graph that `build` makes from these inputs, whose sizes are dynamic."""
    return run_with_state(build, {}, **given)


def run_with_state(
    build: Callable[..., dict[str, Value]], state: Arrays, /, **given: NDArray
) -> Arrays:
    """The same, where `build` itself adds inputs for the arrays of the state."""
    constants = Constants(CONSTANTS_FILE)
    graph = Graph("small", constants)
    inputs = [
        graph.input(name, array.dtype.type, [f"{name}.{axis}" for axis in range(array.ndim)])
        for name, array in given.items()
    ]
    for name, value in build(graph, *inputs).items():
        graph.output(name, value, np.float32, None)  # of any shape
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.onnx"
        path.write_bytes(graph.model().SerializeToString())
        path.with_name(CONSTANTS_FILE).write_bytes(constants.to_bytes())
        return open_session(path, threads=1).run({**given, **state})
