"""Which models are on this machine: the ones that the user has added, packages, bundled ones.

A package names its models as entry points of the group `longways.models`; the value is the module
in whose folder the model lies. No code of a package is run to find them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from longways.errors import CheckpointError, LongwaysError, NewerCheckpoint
from longways.model.manifest import CONFIG_FILE, read_manifest
from longways.text.manifest import MANIFEST_FILE, TEXT_FOLDER
from longways.text.manifest import check_manifest as check_text
from longways.translation.model_folder import bundled_models

GROUP = "longways.models"
"""The group of the entry points of packages with models."""
FOLDER_VARIABLE = "LONGWAYS_MODELS"
ADDED, BUNDLED = "added", "bundled"
"""Where a model comes from, if not from a package."""


@dataclass(frozen=True)
class InstalledModel:
    """A model that can be used by its name."""

    name: str
    folder: Path
    origin: str
    """`added`, `bundled`, or the name and the version of its package."""
    source: str = ""
    target: str = ""
    """Its languages; empty if they cannot be read."""
    error: LongwaysError | None = None
    """Why it cannot be used."""

    @property
    def languages(self) -> str:
        """Its languages as text."""
        return f"{self.source} to {self.target}" if self.source and self.target else "unknown"


def user_folder() -> Path:
    """The folder of the models that the user has added; it may not exist yet."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen).absolute()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "longways" / "models"


def installed_models() -> list[InstalledModel]:
    """All models: added ones first, then packages, then bundled ones, each by name.

    Of models with the same name, only the first is listed, since only it can be named.
    """
    found = dict[str, InstalledModel]()
    for model in (*_added(), *_packaged(), *_bundled()):
        found.setdefault(model.name, model)
    return list(found.values())


def _added() -> Iterator[InstalledModel]:
    folder = user_folder()
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in paths:
        if path.is_dir() and not path.name.startswith("."):
            yield described(path.name, path, ADDED)


def _packaged() -> Iterator[InstalledModel]:
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module
        folder = package_folder(entry)
        if folder is None:
            error = CheckpointError(
                f"The package {package} has no folder {entry.module}, where it says that the model "
                f"{entry.name} is. Install it again."
            )
            yield InstalledModel(entry.name, Path(entry.module), package, error=error)
        else:
            yield described(entry.name, folder, package)


def package_folder(entry: EntryPoint) -> Path | None:
    """The folder of a module such as `package.models.de_en`, without importing the package."""
    top, *inner = entry.module.split(".")
    spec = PathFinder.find_spec(top)
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place, *inner)
        if folder.is_dir():
            return folder
    return None


def _bundled() -> Iterator[InstalledModel]:
    for name, folder in bundled_models().items():
        yield described(name, folder, BUNDLED)


def described(name: str, folder: Path, origin: str) -> InstalledModel:
    """A model in a folder, with its languages, or with the error that says why it is unusable."""
    source, target = _languages(folder)
    error: LongwaysError | None = None
    try:
        read_manifest(folder)
        check_text(folder / TEXT_FOLDER)
    except LongwaysError as found:
        error = found
    return InstalledModel(name, folder, origin, source, target, error)


def _languages(folder: Path) -> tuple[str, str]:
    """The languages of a model, also of one that a later Longways has written."""
    for path in (folder / TEXT_FOLDER / MANIFEST_FILE, folder / CONFIG_FILE):
        try:
            content = json.loads(path.read_bytes())
            table = content if "source_language" in content else content.get("facts", {})
            return str(table["source_language"]), str(table["target_language"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return "", ""


def check_usable(model: InstalledModel) -> None:
    """Raise if a model cannot be used: it is damaged, or of another version."""
    if isinstance(model.error, NewerCheckpoint):
        raise NewerCheckpoint(
            f"The model {model.name} ({model.origin}) cannot be used: {model.error}"
        ) from model.error
    if model.error:
        raise CheckpointError(
            f"The model {model.name} ({model.origin}) cannot be used: {model.error}"
        ) from model.error
