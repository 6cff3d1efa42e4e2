"""`config.json`, the part of a model folder that says what the model is. Loads without torch."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longways import __version__
from longways.config import build
from longways.errors import CheckpointError, ConfigError, DamagedCheckpoint, NewerCheckpoint
from longways.folder import settle
from longways.model.config import ModelConfig

FORMAT = 1
"""The format we write. Raised whenever an older Longways could no longer read a folder."""

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "weights.safetensors"


@dataclass(frozen=True)
class Manifest:
    """What a model folder says about itself."""

    model: ModelConfig
    facts: dict[str, Any] = field(default_factory=dict)
    """Whatever its maker wanted remembered: recipe, scores, sources."""
    longways: str = __version__
    """The version that wrote the folder."""


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write `config.json` into a folder that is being made."""
    content = {
        "format": FORMAT,
        "longways": manifest.longways,
        "model": asdict(manifest.model),
        "facts": manifest.facts,
    }
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    (folder / CONFIG_FILE).write_text(text, encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Read and check `config.json`."""
    settle(folder.absolute())
    path = folder / CONFIG_FILE
    content = _read_json(folder, path)
    _check_format(path, content)
    model = content.get("model")
    if not isinstance(model, dict):
        raise DamagedCheckpoint(f"{path} has no table 'model', so nothing can be built from it.")
    try:
        config = build(ModelConfig, model, str(path), "model.")
    except ConfigError as error:
        raise DamagedCheckpoint(f"{error} The file was edited or is of another program.") from error
    return Manifest(config, content.get("facts", {}), content.get("longways", "unknown"))


def _read_json(folder: Path, path: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise CheckpointError(f"There is no model folder at {folder}. Check the path.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DamagedCheckpoint(
            f"{folder} has no {CONFIG_FILE}, so it is no model folder of Longways."
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DamagedCheckpoint(
            f"{path} is not valid JSON ({error}). Restore the folder from a copy."
        ) from error
    if not isinstance(content, dict):
        raise DamagedCheckpoint(f"{path} is not a JSON object. Restore the folder from a copy.")
    return content


def _check_format(path: Path, content: dict[str, Any]) -> None:
    version = content.get("format")
    if not isinstance(version, int) or version < 1:
        raise DamagedCheckpoint(f"{path} has no format version, so it is no model of Longways.")
    if version > FORMAT:
        raise NewerCheckpoint(
            f"{path} has format {version}, but this Longways ({__version__}) reads up to {FORMAT}. "
            f"It was written by Longways {content.get('longways')}: upgrade to that or later."
        )
