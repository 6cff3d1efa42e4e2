"""Exported graphs, opened by ONNX Runtime, which is loaded only here and only then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.errors import DamagedCheckpoint, LongwaysError

ENCODER_FILE, DECODER_FILE = "encoder.onnx", "decoder.onnx"


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

    def axis(self, name: str, size: str) -> int | None:
        """Which axis of an input has a size of this name."""
        shape = self.inputs[name]
        return shape.index(size) if size in shape else None


def open_sessions(folder: Path, threads: int | None = None) -> tuple[Session, Session]:
    """The encoder and the decoder of a model folder."""
    runtime = _load_onnxruntime()
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3  # errors alone: they are raised and said in our words
    if threads is not None:
        options.intra_op_num_threads = threads
    encoder, decoder = (
        _open(runtime, folder / name, options) for name in (ENCODER_FILE, DECODER_FILE)
    )
    return encoder, decoder


def _open(runtime: Any, path: Path, options: Any) -> Session:
    if not path.is_file():
        raise DamagedCheckpoint(
            f"There is no {path}. Make the graphs of a model with `longways export`."
        )
    try:
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime has a dozen kinds and no common one
        raise DamagedCheckpoint(
            f"{path} ({path.stat().st_size} bytes) cannot be opened by ONNX Runtime "
            f"{runtime.__version__}: {_first_line(error)} If the file is whole, upgrade onnxruntime."
        ) from error
    return Session(session)


def _first_line(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0]
    return line if line.endswith(".") else f"{line}."


def _load_onnxruntime() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise LongwaysError(
            f"Exported models run on onnxruntime, which cannot be loaded ({error}). Install it with "
            "`pip install onnxruntime`."
        ) from error
    return onnxruntime
