"""Exported graphs, opened by ONNX Runtime, which is loaded only here and only then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from longways.errors import DamagedCheckpoint, LongwaysError

ENCODER_FILE, DECODER_FILE, ALIGNMENT_FILE = "encoder.onnx", "decoder.onnx", "alignment.onnx"
CONSTANTS_FILE = "graphs.bin"
"""The weights of all graphs, each of them once."""


class Session:
    """A graph that can be run: arrays by name in, arrays by name out, neither of them copied."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.inputs: dict[str, list[int | str]] = {i.name: i.shape for i in session.get_inputs()}
        self._outputs: list[str] = [output.name for output in session.get_outputs()]

    def run(
        self, given: Mapping[str, NDArray[Any]], wanted: Sequence[str] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Some outputs, or all of them."""
        names = self._outputs if wanted is None else wanted
        return dict(zip(names, self._session.run(names, given), strict=True))

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
    options = runtime.SessionOptions()
    # Graphs are exported as lean as they can be: only what follows from constants is left to do.
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 4  # what goes wrong is raised, and said in our words
    options.intra_op_num_threads = threads or 0
    # Threads that wait by spinning take the cores from the other graph's: 1.2 to 1.8 times slower.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    for needed in (path, path.with_name(CONSTANTS_FILE)):
        if not needed.is_file():
            raise DamagedCheckpoint(f"There is no {needed}. Make it with `longways export`.")
    try:
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime has a dozen kinds and no common one
        raise DamagedCheckpoint(
            f"ONNX Runtime {runtime.__version__} cannot open {path}: {_first_line(error)} The file "
            f"or {CONSTANTS_FILE} beside it is damaged, or onnxruntime is too old: upgrade it."
        ) from error
    return Session(session)


def checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of every graph in a folder, and of the weights that they share."""
    names = (ENCODER_FILE, DECODER_FILE, ALIGNMENT_FILE, CONSTANTS_FILE)
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
