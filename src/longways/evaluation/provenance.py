"""Identify what made a translation: the runtime with its version, and a hash of the model."""

from __future__ import annotations

import hashlib
from importlib import metadata
from pathlib import Path

from longways.decoding.onnx.session import ENCODER_FILE, checksums
from longways.model.manifest import WEIGHTS_FILE
from longways.text.manifest import MANIFEST_FILE, TEXT_FOLDER

HASH_DIGITS = 12
"""Hexadecimal digits of a model hash, enough to distinguish any two models."""


def runtime_name(folder: Path, device: str) -> str:
    """The name and version of the runtime that runs a model folder on a device."""
    if _has_graphs(folder, device):
        return f"onnxruntime-{metadata.version('onnxruntime')}"
    return f"torch-{metadata.version('torch')}-{device}"


def model_hash(folder: Path, device: str) -> str:
    """A hash of a model's weights or graphs and of its vocabulary.

    The folder's name, its model card and its training history do not matter.
    """
    files = checksums(folder) if _has_graphs(folder, device) else _digest(folder / WEIGHTS_FILE)
    words = _digest(folder / TEXT_FOLDER / MANIFEST_FILE)  # it has the digests of its files
    return hashlib.sha256(repr((files, words)).encode()).hexdigest()[:HASH_DIGITS]


def _has_graphs(folder: Path, device: str) -> bool:
    return device == "cpu" and (folder / ENCODER_FILE).exists()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
