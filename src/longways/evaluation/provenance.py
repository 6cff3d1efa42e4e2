"""What makes a translation: which engine, and which model, told by the contents of its files."""

from __future__ import annotations

import hashlib
from importlib import metadata
from pathlib import Path

from longways.decoding.onnx.session import ENCODER_FILE, checksums
from longways.model.manifest import WEIGHTS_FILE
from longways.text.manifest import MANIFEST_FILE, TEXT_FOLDER

DIGITS = 12
"""Of a hash; so many tell any two models apart."""


def runtime_name(folder: Path, device: str) -> str:
    """The engine that a model folder is opened with on a device, and its version."""
    if _has_graphs(folder, device):
        return f"onnxruntime-{metadata.version('onnxruntime')}"
    return f"torch-{metadata.version('torch')}-{device}"


def model_hash(folder: Path, device: str) -> str:
    """A hash of what that engine computes with, and of the words that the model knows.

    The folder's name, its card and what it remembers of its making do not matter.
    """
    files = checksums(folder) if _has_graphs(folder, device) else _digest(folder / WEIGHTS_FILE)
    words = _digest(folder / TEXT_FOLDER / MANIFEST_FILE)  # it has the digests of its files
    return hashlib.sha256(repr((files, words)).encode()).hexdigest()[:DIGITS]


def _has_graphs(folder: Path, device: str) -> bool:
    return device == "cpu" and (folder / ENCODER_FILE).exists()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
