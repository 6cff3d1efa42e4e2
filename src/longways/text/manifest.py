"""Files of a saved text pipeline: `text.json` and the plain files beside it.

`text.json` names every other file with its SHA-256, so a missing, truncated or edited file is
detected before it is used. No file is a pickle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longways.config import build
from longways.errors import ConfigError, TextError
from longways.manifest import read_versioned, write_versioned
from longways.text.config import TextConfig

FORMAT = 1
"""Version of the folder format. It is raised when an older Longways cannot read new folders."""

MANIFEST_FILE, TEXT_FOLDER = "text.json", "text"
"""Name of the manifest, and of its folder inside a model and inside prepared data."""


@dataclass(frozen=True)
class TextManifest:
    """Configuration and languages of a saved pipeline."""

    config: TextConfig
    source_language: str
    target_language: str


def write_folder(folder: Path, manifest: TextManifest, files: Mapping[str, bytes]) -> None:
    """Write the files into a folder; `text.json` is written last."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    content = {
        "source_language": manifest.source_language,
        "target_language": manifest.target_language,
        "text": asdict(manifest.config),
        "files": {name: _digest(files[name]) for name in sorted(files)},
    }
    write_versioned(folder / MANIFEST_FILE, FORMAT, content)


def read_folder(folder: Path) -> tuple[TextManifest, dict[str, bytes]]:
    """Read the manifest and the files of a folder, and check their SHA-256 sums."""
    path = folder / MANIFEST_FILE
    content = read_versioned(path, FORMAT, "text pipeline", TextError)
    manifest = _manifest(path, content)
    digests = _table(path, content, "files")
    return manifest, {name: _read_file(folder, name, digests[name]) for name in digests}


def check_manifest(folder: Path) -> None:
    """Raise if the manifest of a folder cannot be read; the other files are not read."""
    path = folder / MANIFEST_FILE
    _manifest(path, read_versioned(path, FORMAT, "text pipeline", TextError))


def _manifest(path: Path, content: dict[str, Any]) -> TextManifest:
    languages = (content.get("source_language"), content.get("target_language"))
    if not all(isinstance(language, str) for language in languages):
        raise TextError(f"{path} does not name its two languages. Restore the folder from a copy.")
    try:
        config = build(TextConfig, _table(path, content, "text"), str(path), "text.")
    except ConfigError as error:
        raise TextError(f"{error} The file was edited or is of another program.") from error
    return TextManifest(config, *map(str, languages))


def _table(path: Path, content: dict[str, Any], name: str) -> dict[str, Any]:
    table = content.get(name)
    if not isinstance(table, dict):
        raise TextError(f"{path} has no table {name!r}. Restore the folder from a copy.")
    return table


def _read_file(folder: Path, name: str, digest: Any) -> bytes:
    path = folder / name
    if path.name != name:
        raise TextError(f"{folder / MANIFEST_FILE} names {name!r}, which is not a file beside it.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TextError(
            f"{path} is named in {MANIFEST_FILE}, but it cannot be read ({error.strerror}). "
            "Restore the folder from a copy."
        ) from error
    if _digest(content) != digest:
        raise TextError(
            f"{path} is not the file that {MANIFEST_FILE} describes: it was truncated or changed. "
            "Restore the folder from a copy."
        )
    return content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def same_pipeline(first: Path, second: Path) -> bool:
    """Whether two folders hold the same pipeline: settings, languages and SHA-256 sums.

    A setting that an older manifest does not name has its default.
    """
    manifests = [folder / MANIFEST_FILE for folder in (first, second)]
    if not all(path.exists() for path in manifests):
        return False
    return _identity(manifests[0]) == _identity(manifests[1])


def _identity(path: Path) -> tuple[TextManifest, dict[str, Any]]:
    content = read_versioned(path, FORMAT, "text pipeline", TextError)
    return _manifest(path, content), _table(path, content, "files")
