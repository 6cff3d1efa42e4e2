"""Save and load model folders: `config.json` and `weights.safetensors`.

Nothing is ever unpickled. A model is returned only if every tensor is there with its shape.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from longways.atomic_folder import atomic_folder
from longways.errors import DamagedCheckpoint, UnsafeCheckpoint
from longways.model.build import build_model
from longways.model.config import ModelConfig
from longways.model.manifest import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    ModelManifest,
    read_manifest,
    write_manifest,
)
from longways.model.translation import TranslationModel

_PICKLE_STARTS = (b"PK\x03\x04", *(bytes([0x80, protocol]) for protocol in range(2, 6)))


def save_model(model: TranslationModel, folder: Path, **facts: Any) -> None:
    """Write the model with facts for its `config.json`; a kill leaves the old folder or the new."""
    with atomic_folder(folder) as draft:
        write_model(model, draft, **facts)


def write_model(model: TranslationModel, draft: Path, **facts: Any) -> None:
    """Write the files of a model into an unfinished folder."""
    write_manifest(draft, ModelManifest(model.config, facts))
    weights = draft / WEIGHTS_FILE
    save_file({k: v.contiguous() for k, v in own_tensors(model).items()}, weights)
    weights.chmod((draft / CONFIG_FILE).stat().st_mode)  # safetensors lets only the owner read it


def load_model(folder: Path) -> TranslationModel:
    """The model in a folder, in evaluation mode."""
    manifest = read_manifest(folder)
    path = folder / WEIGHTS_FILE
    weights = read_weights(path)
    _check_size(path, weights, manifest.model)
    model = build_model(manifest.model)
    _check_fit(path, weights, own_tensors(model))
    model.load_state_dict(weights, strict=False)  # shared tensors are stored under one name
    return model.eval()


def own_tensors(model: TranslationModel) -> dict[str, Tensor]:
    """Every tensor of a model by name; shared embeddings are included once."""
    return {
        name: tensor
        for name, tensor in model.state_dict().items()
        if not (model.config.share_embeddings and name.startswith("encoder.embedding."))
    }


def read_weights(path: Path) -> dict[str, Tensor]:
    """Every tensor of a safetensors file."""
    try:
        return load_file(path)
    except FileNotFoundError as error:
        raise DamagedCheckpoint(
            f"There is no {path}. Longways reads weights in the safetensors format only."
        ) from error
    except SafetensorError as error:
        raise _diagnose(path, error) from error


def _diagnose(path: Path, error: SafetensorError) -> DamagedCheckpoint | UnsafeCheckpoint:
    """The reason why a file is not valid safetensors: it is a pickle, or it is damaged."""
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(_PICKLE_STARTS):
        return UnsafeCheckpoint(
            f"{path} is a Python pickle, whatever its name says. Loading it could run any code, so "
            "Longways never does; convert it to safetensors where you trust it."
        )
    size = path.stat().st_size
    return DamagedCheckpoint(
        f"{path} ({size} bytes) is cut short or damaged: {error}. Copy it again from its source."
    )


def _check_size(path: Path, found: dict[str, Tensor], config: ModelConfig) -> None:
    """Raise before a model is built that is far larger than its weights."""
    weights = sum(tensor.numel() for tensor in found.values())
    if config.min_parameters > weights:
        raise DamagedCheckpoint(
            f"{path} has {weights:,} weights, but the config.json beside it asks for at least "
            f"{config.min_parameters:,}. The two are from different models."
        )


def _check_fit(path: Path, found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    missing, unknown = expected.keys() - found.keys(), found.keys() - expected.keys()
    if missing or unknown:
        which, names = ("lacks", missing) if missing else ("has unknown", unknown)
        raise DamagedCheckpoint(
            f"{path} {which} {len(names)} tensors ({', '.join(sorted(names)[:3])}, ...), so it "
            "does not belong to the config.json beside it."
        )
    for name, tensor in found.items():
        if tensor.shape != expected[name].shape:
            raise DamagedCheckpoint(
                f"{path}: {name} has shape {tuple(tensor.shape)}, but the config.json beside it "
                f"asks for {tuple(expected[name].shape)}. The two are from different models."
            )
