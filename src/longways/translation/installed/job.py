"""The model for a job: as the user names it, or by the languages of its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longways.errors import CheckpointError, ConfigError, TextError
from longways.text.languages.codes import main_language
from longways.translation.installed.choice import Choice, chosen, fitting, no_model
from longways.translation.installed.detection import source_language
from longways.translation.installed.found import InstalledModel, installed_models

STANDARD = Path("-")
"""Standard input."""


def choose_model(
    inputs: Sequence[Path],
    source: str | None,
    target: str | None,
    format_name: str | None = None,
    encoding: str | None = None,
) -> Choice:
    """The installed model for two languages; without a source, for the language of the files."""
    models = installed_models()
    if source is None:
        source = _source(models, inputs, target, format_name, encoding)
    return chosen(models, source, target)


def _source(
    models: Sequence[InstalledModel],
    inputs: Sequence[Path],
    target: str | None,
    format_name: str | None,
    encoding: str | None,
) -> str | None:
    """The source language of the files, among the sources of the models for a target language."""
    usable = [model for model in fitting(models, None, target) if model.error is None]
    by_language = {main_language(model.source): model.source for model in reversed(usable)}
    candidates = list(by_language.values())[::-1]
    if not candidates:
        return None  # which is an error that lists all models
    if list(inputs) == [STANDARD]:
        if len(candidates) == 1:
            return candidates[0]
        raise ConfigError(
            f"Standard input may be in {' or '.join(candidates)}. Name its language, as in --from "
            f"{candidates[0]}."
        )
    for path in inputs:
        if not path.exists():
            raise TextError(f"There is no file {path}. Check the path.")
    found = source_language(inputs, candidates, target, format_name, encoding)
    if found.language is None:
        raise CheckpointError(
            f"{found.path} seems to be in {found.other or 'another language'}. "
            f"{no_model(models, found.other, target)}. If it is in {' or '.join(candidates)}, say "
            "so with --from."
        )
    return found.language
