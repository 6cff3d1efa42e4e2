"""Which engine computes a model: ONNX Runtime where its graphs are there, else torch."""

from __future__ import annotations

from pathlib import Path

from longways.decoding.onnx.session import ENCODER_FILE
from longways.decoding.runtime import AnyRuntime
from longways.errors import CheckpointError, ConfigError, DamagedCheckpoint
from longways.model.manifest import WEIGHTS_FILE

DEVICES = ("cpu", "cuda")
INSTALL_TORCH = "pip install 'longways[train]'"


def open_runtime(folder: Path, device: str = "cpu", threads: int | None = None) -> AnyRuntime:
    """The engine for a model folder.

    Graphs are used on the CPU; weights by torch, on the CPU or a GPU. `threads` of the CPU share
    operations, or search windows of their own; by default as many as the engine thinks best.
    """
    if device not in DEVICES:
        raise ConfigError(f"The device is {device!r}, but it must be cpu or cuda.")
    if threads is not None and threads < 1:
        raise ConfigError(f"threads is {threads}, but it must be at least 1.")
    has_graphs, has_weights = (folder / ENCODER_FILE).exists(), (folder / WEIGHTS_FILE).exists()
    if has_graphs and device == "cpu":
        return _open_onnx(folder, threads)
    if not has_weights:
        wanted = f"{WEIGHTS_FILE}, which {device} needs" if has_graphs else "graphs nor weights"
        raise DamagedCheckpoint(
            f"{folder} has {'no' if has_graphs else 'neither'} {wanted}, so nothing can be "
            "computed with it. Copy the whole folder again."
        )
    return _open_torch(folder, device, threads)


def _open_onnx(folder: Path, threads: int | None) -> AnyRuntime:
    from longways.decoding.onnx.runtime import OnnxRuntime

    return OnnxRuntime.load(folder, threads)


def _open_torch(folder: Path, device: str, threads: int | None) -> AnyRuntime:
    try:
        import torch

        from longways.decoding.torch import TorchRuntime
    except ModuleNotFoundError as error:
        raise CheckpointError(
            f"{folder} has no exported graphs ({ENCODER_FILE}), so it needs torch, which is not "
            f"installed. Run: {INSTALL_TORCH}; or export the model where torch is."
        ) from error
    if device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("There is no CUDA device here that torch can use. Use --device cpu.")
    if threads is not None:
        torch.set_num_threads(threads)
    return TorchRuntime.load(folder, device)
