"""`config.json`, the manifest of a model folder: model settings and facts. Loads without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longways import __version__
from longways.atomic_folder import previous_folder
from longways.config import build
from longways.errors import ConfigError, DamagedCheckpoint, NewerCheckpoint
from longways.manifest import read_versioned, write_versioned
from longways.model.config import ModelConfig

FORMAT = 1
"""The format version. It is raised whenever an older Longways cannot read the new format."""

CONFIG_FILE, CARD_FILE = "config.json", "README.md"
WEIGHTS_FILE = "weights.safetensors"


@dataclass(frozen=True)
class ModelManifest:
    """The content of a model's `config.json`."""

    model: ModelConfig
    facts: dict[str, Any] = field(default_factory=dict)
    """Further facts: data, languages, scores, length limits, checksums of an export."""
    longways: str = __version__
    """The version that wrote the folder."""


def write_manifest(folder: Path, manifest: ModelManifest) -> None:
    """Write `config.json` into an unfinished folder."""
    content = {"model": asdict(manifest.model), "facts": manifest.facts}
    write_versioned(folder / CONFIG_FILE, FORMAT, content)


def read_manifest(folder: Path) -> ModelManifest:
    """Read and check `config.json`; nothing in the folder or beside it is changed."""
    path, previous = folder / CONFIG_FILE, previous_folder(folder.absolute())
    if not folder.exists() and previous.exists():
        raise DamagedCheckpoint(
            f"{folder} is being replaced, or was when its writer was killed. Try again, run the "
            f"command that writes it, or rename {previous} to {folder.name}."
        )
    content = read_versioned(path, FORMAT, "model folder", DamagedCheckpoint, NewerCheckpoint)
    model = content.get("model")
    if not isinstance(model, dict):
        raise DamagedCheckpoint(f"{path} has no table 'model', so nothing can be built from it.")
    try:
        config = build(ModelConfig, model, str(path), "model.")
    except ConfigError as error:
        raise DamagedCheckpoint(f"{error} The file was edited or is of another program.") from error
    facts = content.get("facts", {})
    if not isinstance(facts, dict):
        raise DamagedCheckpoint(f"{path}: 'facts' is not a table. Restore the folder from a copy.")
    return ModelManifest(config, facts, str(content.get("longways", "unknown")))
