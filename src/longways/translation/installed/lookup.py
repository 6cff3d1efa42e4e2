"""The model folder for a path, a name, or languages."""

from __future__ import annotations

from pathlib import Path

from longways.errors import ConfigError, DamagedCheckpoint
from longways.translation.installed.choice import chosen, reads, writes
from longways.translation.installed.found import (
    InstalledModel,
    check_usable,
    installed_models,
)
from longways.translation.model_folder import ModelFolder, bundled_models, default_model


def find_model(
    model: str | Path | None = None, source: str | None = None, target: str | None = None
) -> Path:
    """The folder of a model: a path, the name of an installed model, or its languages.

    Without any of these, it is the bundled model, or without one the first that is installed.
    """
    if model is not None:
        path = Path(model)
        return path if path.exists() else _named(str(model), path)
    if source or target:
        return chosen(installed_models(), source, target).model.folder
    if not bundled_models():
        usable = [one for one in installed_models() if one.error is None]
        if usable:
            return usable[0].folder
    return default_model()


def _named(name: str, path: Path) -> Path:
    model = next((one for one in installed_models() if one.name == name), None)
    if model is None:
        names = ", ".join(one.name for one in installed_models()) or "none"
        raise DamagedCheckpoint(
            f"There is no model folder at {path}. Check the path, or name an installed model: "
            f"{names}."
        )
    check_usable(model)
    return model.folder


def installed_named(name: str) -> InstalledModel:
    """The installed model with this name."""
    models = {model.name: model for model in installed_models()}
    if name not in models:
        raise ConfigError(
            f"No installed model is named {name}. Installed are: {', '.join(models) or 'none'}."
        )
    return models[name]


def check_languages(model: ModelFolder, source: str | None, target: str | None) -> None:
    """Raise if a model is for other languages than those asked for; None is any language."""
    text = model.text
    own = InstalledModel("", model.folder, "", text.source_language, text.target_language)
    if not (reads(own, source or None) and writes(own, target or None)):
        raise ConfigError(
            f"{model.folder} translates from {own.source} into {own.target}, not from "
            f"{source or own.source} into {target or own.target}. Name another model."
        )
