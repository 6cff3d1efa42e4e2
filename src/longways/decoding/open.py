"""Open a runtime for a model folder: ONNX Runtime if it has exported graphs, torch otherwise."""

from __future__ import annotations

from pathlib import Path

from longways.decoding.onnx.session import ENCODER_FILE
from longways.decoding.runtime import AnyRuntime
from longways.errors import CheckpointError, ConfigError, DamagedCheckpoint
from longways.model.manifest import WEIGHTS_FILE

DEVICES = ("cpu", "cuda")
MAX_THREADS = 1024
"""More CPU threads only wait for each other, and take minutes to start."""
INSTALL_TORCH = "pip install 'longways[train]'"


def open_runtime(
    folder: Path,
    device: str = "cpu",
    threads: int | None = None,
    shortlist: bool | None = None,
) -> AnyRuntime:
    """The runtime for a model folder.

    Exported graphs run on the CPU; torch runs weights on the CPU or a GPU. `threads` is the number
    of CPU threads; the default is the runtime's own choice. `shortlist` says whether search chooses
    among the tokens of the model's shortlist, on a CPU; by default as the model says.
    """
    if device not in DEVICES:
        raise ConfigError(f"The device is {device!r}, but it must be cpu or cuda.")
    if threads is not None and not (type(threads) is int and 1 <= threads <= MAX_THREADS):
        raise ConfigError(
            f"threads is {threads!r}, but it must be a whole number from 1 to {MAX_THREADS:,}."
        )
    if shortlist and device != "cpu":
        raise ConfigError(
            "A shortlist speeds up search on a CPU only: a GPU chooses among all tokens. Leave the "
            "shortlist out, or use --device cpu."
        )
    has_graphs, has_weights = (folder / ENCODER_FILE).exists(), (folder / WEIGHTS_FILE).exists()
    if has_graphs and device == "cpu":
        return _open_onnx(folder, threads, shortlist)
    if has_graphs and not has_weights:
        raise ConfigError(
            f"{folder} is exported for the CPU (ONNX), and has no {WEIGHTS_FILE} for a GPU. Use "
            "--device cpu, or with --model a folder that longways train has written."
        )
    if not has_weights:
        raise DamagedCheckpoint(
            f"{folder} has neither graphs nor weights, so nothing can be computed with it. Copy "
            "the whole folder again."
        )
    return _open_torch(folder, device, threads, shortlist if device == "cpu" else False)


def _open_onnx(folder: Path, threads: int | None, shortlist: bool | None) -> AnyRuntime:
    from longways.decoding.onnx.open import load_exported

    return load_exported(folder, threads, shortlist)


def _open_torch(
    folder: Path, device: str, threads: int | None, shortlist: bool | None
) -> AnyRuntime:
    try:
        import torch

        from longways.decoding.shortlist.folder import wanted_shortlist
        from longways.decoding.torch_stream import torch_runtime
        from longways.model.checkpoint import load_model
    except ModuleNotFoundError as error:
        raise CheckpointError(
            f"{folder} has no exported graphs ({ENCODER_FILE}), so it needs torch, which is not "
            f"installed. Run: {INSTALL_TORCH}; or export the model where torch is."
        ) from error
    if device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("There is no CUDA device here that torch can use. Use --device cpu.")
    if threads is not None:
        torch.set_num_threads(threads)
    model = load_model(folder).to(device)
    return torch_runtime(model, shortlist=wanted_shortlist(folder, model.config, shortlist))
