"""The tensors of a Hugging Face folder: safetensors, or a .bin file of which only tensors are read.

A .bin file is a pickle. torch reads it with `weights_only=True`, which builds tensors and plain
containers and refuses everything else, so no code of the file ever runs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from longways.errors import CheckpointError, DamagedCheckpoint, UnsafeCheckpoint
from longways.model.checkpoint import read_weights

SAFETENSORS, INDEX, PICKLE = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
)
_OTHER_THAN_TENSORS = re.compile("unsupported (global|class|function)", re.IGNORECASE)
"""What torch says of a pickle with more than tensors."""
_OTHER = ("tf_model.h5", "flax_model.msgpack", "rust_model.ot", "model.bin")


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor of the model in a folder by its name, in float32."""
    if (folder / SAFETENSORS).exists():
        tensors = read_weights(folder / SAFETENSORS)
    elif (folder / INDEX).exists():
        tensors = _read_parts(folder)
    elif (folder / PICKLE).exists():
        tensors = _read_pickle(folder / PICKLE)
    else:
        raise CheckpointError(_missing(folder))
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise CheckpointError(
                f"{folder}: {name} has numbers of the type {str(tensor.dtype)[6:]}. Only models in "
                "float32, float16 or bfloat16 can be imported."
            )
    return {name: tensor.float() for name, tensor in tensors.items()}


def _missing(folder: Path) -> str:
    others = [name for name in _OTHER if (folder / name).exists()]
    found = f" It has {others[0]}, which Longways does not read." if others else ""
    return (
        f"{folder} has neither {SAFETENSORS} nor {PICKLE}, so it has no weights to import.{found} "
        "Download the whole model again."
    )


def _read_parts(folder: Path) -> dict[str, Tensor]:
    """The tensors of a model in several files, which an index names."""
    try:
        places = json.loads((folder / INDEX).read_bytes())["weight_map"]
        names = sorted(set(places.values()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedCheckpoint(
            f"{folder / INDEX} does not name the files of the model. Copy it again."
        ) from error
    wrong = next((name for name in names if Path(name).name != name), None)
    if wrong is not None:
        raise DamagedCheckpoint(f"{folder / INDEX} names {wrong!r}, which is no file beside it.")
    return {k: v for name in names for k, v in read_weights(folder / name).items()}


def _read_pickle(path: Path) -> dict[str, Tensor]:
    try:
        content: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged pickle fails in any of a dozen ways
        if _OTHER_THAN_TENSORS.search(str(error)):
            raise UnsafeCheckpoint(
                f"{path} is a pickle with more than tensors, which could run code, so it was not "
                "loaded. Use a copy of the model in safetensors."
            ) from error
        raise DamagedCheckpoint(
            f"{path} is cut short or damaged, or no file of torch. Copy it again from its source."
        ) from error
    are_tensors = isinstance(content, dict) and all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in content.items()
    )
    if not are_tensors:
        raise DamagedCheckpoint(f"{path} is no table of tensors, so it is not a saved model.")
    return dict(content)
