"""Open exported graphs with the runtime of their kind of model."""

from __future__ import annotations

from pathlib import Path

from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.onnx.stream import StreamOnnxRuntime
from longways.model.config import ModelConfig
from longways.model.manifest import read_manifest


def load_exported(
    folder: Path, threads: int | None = None, shortlist: bool | None = False
) -> OnnxRuntime:
    """The runtime of the graphs in a model folder, by default with one thread for each core.

    `shortlist` says whether search uses the model's shortlist; None for the model's default.
    """
    return runtime_class(read_manifest(folder).model).load(folder, threads, shortlist)


def runtime_class(config: ModelConfig) -> type[OnnxRuntime]:
    """The runtime of a window model or of a stream model."""
    return StreamOnnxRuntime if config.is_stream else OnnxRuntime
