"""The config of a study: a recipe, and for each model the settings that it changes.

Loads without torch. A study file looks like this:

name = "opendocs"
recipe = "../opendocs-zh-en"           # relative to this file
baseline = "transformer-L4"            # the model that the others are compared with
split = "test"                         # the split that is translated and scored
beam = 4                               # with this many hypotheses
evaluate = true                        # false: models are trained, but translate nothing
windows = "sliding"                    # as in longways evaluate --windows
at_limit = "cut"                       # as in longways evaluate --at-limit
consistency = ["consistency.en-ru"]    # contrastive sets, relative to here or to --data

[settings.training]                    # settings of all models, as in a recipe
updates = 20000

[models.transformer-L4.model]          # settings of one model
preset = "transformer"

[models.swapped]
init_from = "transformer-L4"           # starts from the best weights of that model
teacher = "transformer-L4"             # and learns from it by distillation
[models.swapped.model]
preset = "rfa-sgate"

Models that differ only in their seeds are one system: the report gives their mean and spread.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longways.config import flatten, read_toml
from longways.decoding.beam_search import AtLimit
from longways.decoding.config import WindowMode
from longways.errors import ConfigError

KEYS = (
    "name", "recipe", "baseline", "split", "beam", "evaluate", "windows", "at_limit",
    "consistency", "settings", "models",
)  # fmt: skip
RENAMED = {"part": "split", "judge": "evaluate"}
"""Old names of keys, and the names that replace them."""


@dataclass(frozen=True)
class StudyModel:
    """One model of a study."""

    name: str
    settings: tuple[str, ...]
    """The settings it changes in the recipe, as for `--set`."""
    init_from: str | None = None
    """The model of the study whose weights it starts from."""
    teacher: str | None = None
    """The model of the study that is its teacher."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The models that must be trained first."""
        return tuple(dict.fromkeys(name for name in (self.init_from, self.teacher) if name))


@dataclass(frozen=True)
class Study:
    """Several models that are trained and compared."""

    name: str
    recipe: Path
    baseline: str
    models: tuple[StudyModel, ...]
    split: str = "test"
    """The name of the split that is translated and scored."""
    beam: int = 4
    evaluate: bool = True
    """Whether models translate and are scored; if not, they are trained and tested on
    contrastive sets only."""
    windows: WindowMode = "sliding"
    """How windows are translated, as in `longways evaluate --windows`."""
    at_limit: AtLimit = "cut"
    """What becomes of a hypothesis at the length limit, as in `longways evaluate --at-limit`."""
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
    """Read a study from a TOML file."""
    values = read_toml(path)
    _check_keys(path, values)
    common = _settings(values.get("settings", {}))
    models = tuple(_model(name, table, common) for name, table in values["models"].items())
    baseline = values.get("baseline", models[0].name)
    _check_names(path, models, baseline)
    known = "split", "beam", "evaluate", "windows", "at_limit"
    options = {key: values[key] for key in known if key in values}
    sets = _sets(path, values.get("consistency", []))
    if not isinstance(options.get("evaluate", True), bool):
        raise ConfigError(
            f"{path}: evaluate is {options['evaluate']!r}, but it must be true or false."
        )
    recipe = path.parent / values["recipe"]
    return Study(values["name"], recipe, baseline, models, **options, consistency=sets)


def _check_keys(path: Path, values: dict[str, Any]) -> None:
    for old, new in RENAMED.items():
        if old in values:
            raise ConfigError(f"{path}: `{old}` is now `{new}`.")
    unknown = [key for key in values if key not in KEYS]
    missing = [key for key in ("name", "recipe", "models") if key not in values]
    if unknown or missing:
        what = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(missing)}"
        raise ConfigError(f"{path} is not a study ({what}). Known keys are {', '.join(KEYS)}.")


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
    """Nested tables as overrides; these values look the same in JSON and in TOML."""
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
