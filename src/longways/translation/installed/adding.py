"""Adding models from folders, wheels and packages, and removing them.

A folder or a wheel is copied into the user folder, whole or not at all, and nothing in it is run.
A package by name is installed by pip into the environment of Longways.
"""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from longways.atomic_folder import atomic_folder
from longways.decoding.onnx.session import ENCODER_FILE
from longways.errors import CheckpointError, ConfigError, DamagedCheckpoint
from longways.model.manifest import WEIGHTS_FILE
from longways.translation.installed.found import (
    ADDED,
    BUNDLED,
    InstalledModel,
    check_usable,
    described,
    installed_models,
    user_folder,
)
from longways.translation.installed.lookup import installed_named
from longways.translation.installed.wheels import models_in, unpack
from longways.translation.model_folder import ModelFolder, bundled_models

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[\w,-]*\])?(?:\s*[=<>!~]=?.*)?")
WHEEL_SUFFIX = ".whl"


def add_model(what: str, name: str | None = None, *, force: bool = False) -> list[InstalledModel]:
    """Add a folder, a wheel, or a package by its name; the models that were added."""
    path = Path(what)
    if path.is_dir():
        return [add_folder(path, name or path.resolve().name, force=force)]
    if path.is_file() and path.suffix == WHEEL_SUFFIX:
        return add_wheel(path, name, force=force)
    if path.exists() or path.suffix == WHEEL_SUFFIX or not _PACKAGE.fullmatch(what):
        raise ConfigError(
            f"{what} is no model folder, no wheel ({WHEEL_SUFFIX}) and no name of a package. Name "
            "one of these; unpack an archive first."
        )
    if name or force:
        raise ConfigError(
            f"{what} is a package, which pip installs under its own name: leave out --name and "
            "--force. If it should be a folder, check the path."
        )
    return add_package(what)


def add_folder(folder: Path, name: str, *, force: bool = False) -> InstalledModel:
    """Copy a model folder into the user folder."""
    target = _new_place(name, force)
    _check_model(folder)
    if target.resolve() == folder.resolve():
        raise ConfigError(f"{folder} is installed already, under the name {name}.")
    with atomic_folder(target) as draft:
        shutil.copytree(folder, draft, dirs_exist_ok=True)
    return described(name, target, ADDED)


def add_wheel(wheel: Path, name: str | None = None, *, force: bool = False) -> list[InstalledModel]:
    """Unpack the models of a wheel into the user folder."""
    inside = models_in(wheel)
    if name and len(inside) > 1:
        raise ConfigError(
            f"{wheel} has {len(inside)} models, {', '.join(inside)}, which cannot all be named "
            f"{name}. Leave out --name."
        )
    places = {own: _new_place(name or own, force) for own in inside}
    for own, target in places.items():
        with atomic_folder(target) as draft:
            unpack(wheel, inside[own], draft)
            _check_model(draft)
    return [described(target.name, target, ADDED) for target in places.values()]


def add_package(requirement: str) -> list[InstalledModel]:
    """Install a package with pip; an error if it fails, or if the package has no model."""
    if find_spec("pip") is None:
        raise ConfigError(
            f"This Python ({sys.executable}) has no pip. Install {requirement} with the program "
            "that installed Longways, as in `uv pip install`; its models are found then."
        )
    before = {(model.name, model.origin) for model in installed_models()}
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", requirement],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no reason").splitlines()[-1]
        raise ConfigError(
            f"pip could not install {requirement}: {said.removeprefix('ERROR: ')} Check the name "
            "of the package; a folder or a wheel needs its path."
        )
    importlib.invalidate_caches()
    found = [m for m in installed_models() if (m.name, m.origin) not in before]
    if not found:
        raise CheckpointError(
            f"{requirement} is installed, but it brought no new model: it is no package of models, "
            "or it was installed before. See `longways models list`."
        )
    for model in found:
        check_usable(model)
    return found


def remove_model(name: str) -> Path:
    """Remove a model that was added; its folder, which is gone."""
    model = installed_named(name)
    if model.origin == BUNDLED:
        raise ConfigError(f"{name} is part of Longways, so it cannot be removed.")
    if model.origin != ADDED:
        package = model.origin.partition(" ")[0]
        raise ConfigError(
            f"{name} belongs to the package {package}. Remove it with: pip uninstall {package}"
        )
    gone = model.folder.with_name(f".{name}.removed")
    shutil.rmtree(gone, ignore_errors=True)
    model.folder.rename(gone)  # in one step: a half removed model is never found
    shutil.rmtree(gone)
    return model.folder


def _new_place(name: str, force: bool) -> Path:
    """The folder for a new model with this name."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot be the name of a model: it has letters, digits, dots and hyphens, "
            "and begins with a letter or digit. Choose one with --name."
        )
    if name in bundled_models():
        raise ConfigError(f"{name} is the name of a bundled model. Choose another with --name.")
    target = user_folder() / name
    if target.exists() and not force:
        raise ConfigError(
            f"There is a model {name} already, at {target}. Replace it with --force, or choose "
            "another name with --name."
        )
    return target


def _check_model(folder: Path) -> None:
    """Raise if a folder cannot be used as a model."""
    ModelFolder.read(folder)
    if not any((folder / name).exists() for name in (ENCODER_FILE, WEIGHTS_FILE)):
        raise DamagedCheckpoint(
            f"{folder} has neither graphs nor weights, so nothing can be computed with it. Copy "
            "the whole folder again."
        )
