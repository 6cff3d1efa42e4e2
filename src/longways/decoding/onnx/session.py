"""Exported graphs, opened by ONNX Runtime, which is loaded only here and only then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.int8_overflow import saturates
from longways.errors import DamagedCheckpoint, LongwaysError

ENCODER_FILE, DECODER_FILE, ALIGNMENT_FILE = "encoder.onnx", "decoder.onnx", "alignment.onnx"
MANY_FILE = "decoder-many.onnx"
"""The decoder for many rows, the same to the last bit; there may be none."""

CONSTANTS_FILE = "graphs.bin"
"""The weights of all graphs, each of them once."""

IN_PLACE = "in_place"
"""Where a graph says which parts of its state may be written over what they were."""

SPIN = 20
"""Microseconds for which a thread waits awake for the next operator. Waking it up takes as long as
many an operator: a step of one row takes 0.6 times as long so. But where another program wants the
core, who waits long is put to sleep in the midst of its work, and the step takes 1.4 times as long,
1.5 times with 50. Where none does, 50 would be no better."""

_DTYPES = {
    "tensor(float)": np.float32,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(uint8)": np.uint8,
}
"""What ONNX Runtime calls the types of the inputs of a graph."""

_WAITING = {
    "session.intra_op.spin_duration_us": str(SPIN),
    "session.force_spinning_stop": "1",  # when a run is over: the cores are the other graph's
}


class Session:
    """A graph that can be run: arrays by name in, arrays by name out, neither of them copied."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.inputs: dict[str, list[int | str]] = {i.name: i.shape for i in session.get_inputs()}
        self.dtypes = {i.name: _DTYPES[i.type] for i in session.get_inputs()}
        self.outputs: list[str] = [output.name for output in session.get_outputs()]
        notes: dict[str, str] = session.get_modelmeta().custom_metadata_map
        self.in_place = frozenset(notes.get(IN_PLACE, "").split())

    def run(
        self, given: Mapping[str, NDArray[Any]], wanted: Sequence[str] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Some outputs, or all of them."""
        names = self.outputs if wanted is None else wanted
        return dict(zip(names, self._session.run(names, given), strict=True))

    def bind(
        self, given: Mapping[str, NDArray[Any]], found: Mapping[str, NDArray[Any]]
    ) -> Callable[[], None]:
        """A run that reads arrays where they are, and writes its outputs into others.

        It can be repeated when their numbers have changed. They live as long as it does.
        """
        binding = self._session.io_binding()
        for name, array in given.items():
            binding.bind_input(name, *_whereabouts(array))
        for name, array in found.items():
            binding.bind_output(name, *_whereabouts(array))

        def run(_alive: object = (given, found)) -> None:
            self._session.run_with_iobinding(binding)

        return run

    def shape(self, name: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The shape of an input whose named sizes are these."""
        return tuple(n if isinstance(n, int) else sizes[n] for n in self.inputs[name])

    def axis(self, name: str, size: str) -> int | None:
        """Which axis of an input has a size of this name."""
        shape = self.inputs[name]
        return shape.index(size) if size in shape else None


def open_session(path: Path, threads: int | None = None) -> Session:
    """The graph in a file, each operator computed by so many threads, by default one a core."""
    runtime = _load_onnxruntime()
    for needed in (path, path.with_name(CONSTANTS_FILE)):
        if not needed.is_file():
            raise DamagedCheckpoint(f"There is no {needed}. Make it with `longways export`.")
    options = _options(runtime, threads)
    try:
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime has a dozen kinds and no common one
        raise DamagedCheckpoint(
            f"ONNX Runtime {runtime.__version__} cannot open {path}: {_first_line(error)} The file "
            f"or {CONSTANTS_FILE} beside it is damaged, or onnxruntime is too old: upgrade it."
        ) from error
    return Session(session)


def _options(runtime: Any, threads: int | None) -> Any:
    options, levels = runtime.SessionOptions(), runtime.GraphOptimizationLevel
    # Graphs are exported as lean as they can be: only what follows from constants is left to do.
    options.graph_optimization_level = levels.ORT_ENABLE_BASIC
    options.log_severity_level = 4  # what goes wrong is raised, and said in our words
    options.intra_op_num_threads = threads or 0
    for key, value in _WAITING.items():
        options.add_session_config_entry(key, value)
    if saturates(runtime):
        options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED  # below, it has no effect
        options.add_session_config_entry("session.x64quantprecision", "1")
    return options


def checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of every graph in a folder, and of the weights that they share."""
    names = (ENCODER_FILE, DECODER_FILE, MANY_FILE, ALIGNMENT_FILE, CONSTANTS_FILE)
    found = ((name, folder / name) for name in names)
    return {n: sha256(path.read_bytes()).hexdigest() for n, path in found if path.is_file()}


def check_files(folder: Path, wanted: Mapping[str, str]) -> None:
    """Raise unless the files are those that were exported, to the last bit."""
    found = checksums(folder)
    for name, checksum in wanted.items():
        if name in found and found[name] != checksum:
            raise DamagedCheckpoint(
                f"{folder / name} is not the file that was exported: it is damaged, or from "
                "another model. Copy the folder again, or make it with `longways export`."
            )


def _whereabouts(array: NDArray[Any]) -> tuple[str, int, Any, tuple[int, ...], int]:
    """What ONNX Runtime wants to know of an array."""
    assert array.flags.c_contiguous, "ONNX Runtime reads and writes arrays without gaps"
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
