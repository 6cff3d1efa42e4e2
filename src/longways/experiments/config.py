"""What a study compares: a recipe, and for each model what it changes. Loads without torch.

name = "opendocs"
recipe = "../opendocs-zh-en"           # beside this file
baseline = "transformer-L4"            # what the others are compared with
part = "test"                          # scored; and with which beam
beam = 4
judge = true                           # false: nothing is translated, models are only asked
consistency = ["consistency.en-ru"]    # contrastive sets, here or below --data

[settings.training]                    # for all models, as in a recipe
updates = 20000

[models.transformer-L4.model]          # and for one
preset = "transformer"

[models.swapped]
init_from = "transformer-L4"           # starts from that model's best, once it is there
teacher = "transformer-L4"             # and is taught by it
[models.swapped.model]
preset = "rfa-sgate"

Models that differ in nothing but their seeds are one system: the report gives mean and spread.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longways.config import flatten, read_toml
from longways.errors import ConfigError

KEYS = (
    "name", "recipe", "baseline", "part", "beam", "judge", "consistency", "settings", "models",
)  # fmt: skip


@dataclass(frozen=True)
class StudyModel:
    """One of the models."""

    name: str
    settings: tuple[str, ...]
    """What it changes in the recipe, as for `--set`."""
    init_from: str | None = None
    """The model of the study that it starts from."""
    teacher: str | None = None
    """The model of the study that teaches it."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The models that must be there first."""
        return tuple(dict.fromkeys(name for name in (self.init_from, self.teacher) if name))


@dataclass(frozen=True)
class Study:
    """The whole comparison."""

    name: str
    recipe: Path
    baseline: str
    models: tuple[StudyModel, ...]
    part: str = "test"
    beam: int = 4
    judge: bool = True
    """Whether models translate and are scored; if not, they are only trained, and asked."""
    consistency: tuple[str, ...] = ()
    """Contrastive sets, or folders of them."""

    def named(self, names: Sequence[str]) -> tuple[StudyModel, ...]:
        """The models of these names, in the order of the study."""
        known = [model.name for model in self.models]
        if unknown := [name for name in names if name not in known]:
            raise ConfigError(
                f"The study {self.name} has no model {unknown[0]!r}; it has: {', '.join(known)}."
            )
        return tuple(model for model in self.models if model.name in names)


def read_study(path: Path) -> Study:
    """The study in a TOML file."""
    values = read_toml(path)
    unknown = [key for key in values if key not in KEYS]
    missing = [key for key in ("name", "recipe", "models") if key not in values]
    if unknown or missing:
        what = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(missing)}"
        raise ConfigError(f"{path} is no study ({what}). Known keys are {', '.join(KEYS)}.")
    common = _settings(values.get("settings", {}))
    models = tuple(_model(name, table, common) for name, table in values["models"].items())
    baseline = values.get("baseline", models[0].name)
    _check_names(path, models, baseline)
    facts = {key: values[key] for key in ("part", "beam", "judge") if key in values}
    sets = _sets(path, values.get("consistency", []))
    if not isinstance(facts.get("judge", True), bool):
        raise ConfigError(f"{path}: judge is {facts['judge']!r}, but it must be true or false.")
    recipe = path.parent / values["recipe"]
    return Study(values["name"], recipe, baseline, models, **facts, consistency=sets)


def _sets(path: Path, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ConfigError(
            f"{path}: consistency is {value!r}, but it must be a list of files or folders."
        )
    return tuple(value)


def _model(name: str, table: dict[str, Any], common: tuple[str, ...]) -> StudyModel:
    own = {key: value for key, value in table.items() if key not in ("init_from", "teacher")}
    settings = (*common, *_settings(own))
    return StudyModel(name, settings, table.get("init_from"), table.get("teacher"))


def _settings(table: dict[str, Any]) -> tuple[str, ...]:
    """Nested tables as overrides; JSON and TOML write such values alike."""
    return tuple(f"{key}={json.dumps(value)}" for key, value in flatten(table).items())


def _check_names(path: Path, models: tuple[StudyModel, ...], baseline: str) -> None:
    names = [model.name for model in models]
    for name in (baseline, *(name for model in models for name in model.needs)):
        if name not in names:
            raise ConfigError(f"{path} names a model {name!r}; it has: {', '.join(names)}.")
    for model in models:
        for other in model.needs:
            if names.index(other) >= names.index(model.name):
                raise ConfigError(f"{path}: {model.name} needs {other}, which must come before it.")
