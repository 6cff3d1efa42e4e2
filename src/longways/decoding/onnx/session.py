"""Sessions of ONNX Runtime for exported graphs. Only this module imports it, when it is needed.

Without VNNI, x86 processors add pairs of uint8 x int8 products in 16 bits with saturation. ONNX
Runtime has an exact mode, at half the speed, which is enabled on such processors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.errors import DamagedCheckpoint, LongwaysError

ENCODER_FILE, DECODER_FILE, ALIGNMENT_FILE = "encoder.onnx", "decoder.onnx", "alignment.onnx"
LARGE_BATCH_DECODER_FILE = "decoder-many.onnx"
"""The optional decoder for large batches; its results are bit-identical."""

LISTED_DECODERS = {
    DECODER_FILE: "decoder-shortlist.onnx",
    LARGE_BATCH_DECODER_FILE: "decoder-many-shortlist.onnx",
}
"""The decoders whose output layer is an input, so that it may have some of the tokens only."""

UNSIGNED_DECODER_FILE = "decoder-shortlist-unsigned.onnx"
"""The same decoder for processors that add int8 products with saturation: its weights are uint8."""

LISTED_ROWS_FILE = "shortlist-rows.onnx"
"""The graph that takes the output layer of some tokens out of that of all tokens."""

CONSTANTS_FILE = "graphs.bin"
"""The weights of all graphs, each stored once."""

GRAPH_FILES = (
    ENCODER_FILE,
    DECODER_FILE,
    LARGE_BATCH_DECODER_FILE,
    ALIGNMENT_FILE,
    *LISTED_DECODERS.values(),
    UNSIGNED_DECODER_FILE,
    LISTED_ROWS_FILE,
    CONSTANTS_FILE,
)
"""All files that an export may have for ONNX Runtime."""

IN_PLACE = "in_place"
"""The metadata key under which a graph lists the state arrays that may be overwritten in place."""

APPENDED = "appended"
"""The metadata key under which a graph lists the caches to which its caller appends tokens."""

HIDDEN_FROM = "hidden_from"
"""The input of a stream decoder that says from which token on its last layer is computed."""

SPIN_MICROSECONDS = 20
"""How long an idle thread spins before it sleeps. Waking a thread takes as long as many operators:
with spinning, a step of one row takes 0.6 times as long. If another program uses the core, the
system suspends spinning threads during their work, and the step takes 1.4 times as long (1.5 times
with 50 microseconds). On an idle machine 50 microseconds are no better."""

_DTYPES = {
    "tensor(float)": np.float32,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
}
"""ONNX Runtime's names of input types."""

_SPIN_OPTIONS = {
    "session.intra_op.spin_duration_us": str(SPIN_MICROSECONDS),
    "session.force_spinning_stop": "1",  # after a run, so that another graph can use the cores
}


class Session:
    """A graph that can be run. Inputs and outputs are arrays by name, which are not copied."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.inputs: dict[str, list[int | str]] = {i.name: i.shape for i in session.get_inputs()}
        self.dtypes = {i.name: _DTYPES[i.type] for i in session.get_inputs()}
        self.outputs: list[str] = [output.name for output in session.get_outputs()]
        metadata: dict[str, str] = session.get_modelmeta().custom_metadata_map
        self.in_place = frozenset(metadata.get(IN_PLACE, "").split())
        self.appended = frozenset(metadata.get(APPENDED, "").split())

    def run(
        self, inputs: Mapping[str, NDArray[Any]], outputs: Sequence[str] | None = None
    ) -> dict[str, NDArray[Any]]:
        """The outputs of these names, or all outputs."""
        names = self.outputs if outputs is None else outputs
        return dict(zip(names, self._session.run(names, inputs), strict=True))

    def bind(
        self, inputs: Mapping[str, NDArray[Any]], outputs: Mapping[str, NDArray[Any]]
    ) -> Callable[[], None]:
        """A function that runs the graph on these arrays, reading and writing them in place.

        It can be called again after the inputs were changed. It keeps the arrays alive.
        """
        binding = self._session.io_binding()
        for name, array in inputs.items():
            binding.bind_input(name, *_buffer(array))
        for name, array in outputs.items():
            binding.bind_output(name, *_buffer(array))

        def run(_alive: object = (inputs, outputs)) -> None:
            self._session.run_with_iobinding(binding)

        return run

    def shape(self, name: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The shape of an input, given the sizes of its named axes."""
        return tuple(n if isinstance(n, int) else sizes[n] for n in self.inputs[name])

    def axis(self, name: str, size: str) -> int | None:
        """The index of an input's axis with this name, or None."""
        shape = self.inputs[name]
        return shape.index(size) if size in shape else None


def open_session(path: Path, threads: int | None = None) -> Session:
    """Open the graph in a file. Operators use `threads` threads, by default one for each core."""
    onnxruntime = _load_onnxruntime()
    for needed in (path, path.with_name(CONSTANTS_FILE)):
        if not needed.is_file():
            raise DamagedCheckpoint(f"There is no {needed}. Make it with `longways export`.")
    options = _options(onnxruntime, threads)
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors have no common class
        raise DamagedCheckpoint(
            f"ONNX Runtime {onnxruntime.__version__} cannot open {path}: {_first_line(error)} The "
            f"file or {CONSTANTS_FILE} beside it is damaged, or onnxruntime is too old: upgrade it."
        ) from error
    return Session(session)


def _options(onnxruntime: Any, threads: int | None) -> Any:
    options, levels = onnxruntime.SessionOptions(), onnxruntime.GraphOptimizationLevel
    # Exported graphs are already optimised: only constant folding is left to do.
    options.graph_optimization_level = levels.ORT_ENABLE_BASIC
    options.log_severity_level = 4  # errors are raised, with our own messages
    options.intra_op_num_threads = threads or 0
    for key, value in _SPIN_OPTIONS.items():
        options.add_session_config_entry(key, value)
    if saturates(onnxruntime):
        # At lower levels the exact int8 mode has no effect.
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED
        options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of every graph in a folder, and of their shared weights."""
    found = ((name, folder / name) for name in GRAPH_FILES)
    return {n: sha256(path.read_bytes()).hexdigest() for n, path in found if path.is_file()}


def check_files(folder: Path, expected: Mapping[str, str]) -> None:
    """Raise unless the files have the checksums of the export."""
    found = checksums(folder)
    for name, checksum in expected.items():
        if name in found and found[name] != checksum:
            raise DamagedCheckpoint(
                f"{folder / name} is not the file that was exported: it is damaged, or from "
                "another model. Copy the folder again, or make it with `longways export`."
            )


def _buffer(array: NDArray[Any]) -> tuple[str, int, Any, tuple[int, ...], int]:
    """The description of an array's memory for an I/O binding."""
    assert array.flags.c_contiguous, "ONNX Runtime reads and writes contiguous arrays only"
    return "cpu", 0, array.dtype.type, array.shape, array.ctypes.data


def _first_line(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0]
    return line if line.endswith(".") else f"{line}."


def _load_onnxruntime() -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError as error:
        raise LongwaysError(
            f"Exported models run on onnxruntime, which cannot be loaded ({error}). "
            "Install it with `pip install onnxruntime`."
        ) from error
    return onnxruntime


MATMUL_GRAPH = (
    b"\x08\n:=\n\x18\n\x01a\n\x01b\x12\x01c"
    b'"\rMatMulInteger\x12\x00Z\t\n\x01a\x12\x04\n\x02\x08\x02Z\t\n\x01b\x12\x04\n\x02\x08\x03'
    b"b\t\n\x01c\x12\x04\n\x02\x08\x06B\x04\n\x00\x10\x15"
)
"""A serialised ONNX graph with one operator: uint8 `a` times int8 `b` is int32 `c`."""

_INNER_DIM = 64


def this_processor_saturates() -> bool:
    """Whether this processor adds int8 products with saturation."""
    return saturates(_load_onnxruntime())


@cache
def saturates(onnxruntime: Any) -> bool:
    """Whether a matmul of the largest uint8 and int8 values gives a wrong result."""
    session = onnxruntime.InferenceSession(MATMUL_GRAPH, providers=["CPUExecutionProvider"])
    a = np.full((4, _INNER_DIM), 255, dtype=np.uint8)
    b = np.full((_INNER_DIM, 16), 127, dtype=np.int8)
    (found,) = session.run(None, {"a": a, "b": b})
    return bool((found != 255 * 127 * _INNER_DIM).any())
