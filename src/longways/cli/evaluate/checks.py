"""Checks of the options of `longways evaluate`, before anything is translated."""

from __future__ import annotations

import re
from pathlib import Path

import typer

from longways.errors import ConfigError

FOR_MODELS = (
    *("split", "beam", "window", "windows", "at_limit", "device", "root", "context", "compare"),
    *("save", "shortlist"),
)
"""Parameters that are only for models that translate."""

FOR_FILES = ("src",)
"""Parameters that are only for translations in files."""

USAGE = (
    "Name models and then data, as in longways evaluate MODEL DATA, or files, as in longways "
    "evaluate --hyp FILE --ref FILE."
)


def check_choices(ctx: typer.Context, paths: list[Path], hyp: list[Path], ref: Path | None) -> None:
    """Raise unless there are either models or files, each with their own options."""
    given = [p for p in ctx.command.params if _is_given(ctx, p.name or "")]
    wrong = FOR_MODELS if hyp or ref else FOR_FILES
    options = [p.opts[-1] for p in given if p.name in wrong]
    if paths and (hyp or ref):
        raise ConfigError(
            f"There are both models and files to score, but only one is possible. {USAGE}"
        )
    if not (hyp or ref) and len(paths) < 2:
        found = f"There is only {paths[0]} to evaluate" if paths else "There is nothing to evaluate"
        raise ConfigError(f"{found}. {USAGE}")
    if bool(hyp) != bool(ref):
        missing, which = ("--ref", "references") if hyp else ("--hyp", "translations")
        raise ConfigError(f"{missing} is missing. Name the file of {which} with it.")
    if options:
        other = "models that translate" if hyp else "translations in files, with --hyp and --ref"
        raise ConfigError(f"{options[0]} is only for {other}. Leave it out.")


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def check_options(metrics: list[str], language: str, save: Path | None, out: Path | None) -> None:
    """Raise if the value of an option cannot be right."""
    from longways.evaluation.metrics.score import check_metrics

    check_metrics(metrics)
    if not re.fullmatch("([a-z]{2,3})?", language):
        raise ConfigError(f"The language is {language!r}, but it must be a code such as zh or en.")
    if save and save.is_file():
        raise ConfigError(f"{save} is a file, but --save needs the name of a folder.")
    if out and out.is_dir():
        raise ConfigError(f"{out} is a folder, but -o needs the name of a file to write.")


def check_terms(language: str, hyp: list[Path], src: Path | None, compare: bool) -> None:
    """Raise if --terms has no language, or no source text to find terms in."""
    if not language:
        return
    if not re.fullmatch("[a-z]{2,3}", language):
        raise ConfigError(
            f"The language of --terms is {language!r}, but it must be a code such as zh or en."
        )
    if hyp and not src:
        raise ConfigError("--terms needs the source text. Name its file with --src.")
    if compare:
        raise ConfigError("--compare-contexts does not measure terms. Leave out one of the two.")
