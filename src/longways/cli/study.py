"""`longways study`: models trained, translated with and compared, from one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from longways.recipes import find_study

SHOWN = ("model", "L", "document BLEU", "BLEU difference", "dev loss", "state bytes")
"""What is shown of every model, a line each; all else is in the report."""


def study(
    recipe: Annotated[Path, typer.Argument(help="A study, as in recipes/study-toy.toml.")],
    work: Annotated[Path, typer.Argument(help="A folder for its runs and translations.")],
    prepared: Annotated[Path, typer.Option(help="A folder written by longways prepare.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Results; by default results/NAME.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    parallel: Annotated[int | None, typer.Option(hidden=True)] = None,
    root: Annotated[
        Path,
        typer.Option("--data", help="Where consistency sets are.", envvar="LONGWAYS_DATA"),
    ] = Path(),
    only: Annotated[
        list[str] | None,
        typer.Option(help="Train and judge this model and what it needs; repeatable."),
    ] = None,
    only_report: Annotated[
        bool, typer.Option(help="Compare what is there; train and judge nothing.")
    ] = False,
) -> None:
    """Train several models, translate with each, and compare them.

    A study names a recipe and what each model changes in it. Whatever is already trained or
    translated in WORK is taken as it is, so a study that was stopped (Ctrl-C and SIGTERM let every
    run save itself) goes on model by model. So does one whose WORK is gone: what an earlier report
    in --out has counted is compared as it is, and not measured again.

    Models may also be asked about consistency sets, and may differ in their seeds alone. The end is
    a table with paired bootstraps against the baseline, the paper's figures beside ours, training
    curves, and everything as JSON.
    """
    from longways.corpus.prepared_data import open_data
    from longways.errors import ConfigError
    from longways.experiments.config import read_study
    from longways.experiments.plan import plan_steps
    from longways.experiments.report import write_report
    from longways.experiments.steps import run_steps
    from longways.experiments.stored_results import stored_models
    from longways.experiments.training_report import (
        stored_training_results,
        write_training_report,
    )
    from longways.results import narrow, table

    if parallel is not None:
        raise ConfigError(
            "--parallel was removed: the steps of a study run one after the other. Leave it out."
        )
    console, plan, data = Console(stderr=True), read_study(find_study(recipe)), open_data(prepared)
    results = out or Path("results") / plan.name
    stored = stored_models(results) if plan.evaluate else stored_training_results(results)
    steps = (
        [] if only_report else plan_steps(plan, work, prepared, device, root, stored, only or ())
    )
    if not run_steps(steps, console.print):
        console.print("Stopped early; run the same command to go on.")
        return
    compare = write_report if plan.evaluate else write_training_report
    Console().print(table(narrow(compare(plan, work, data, results), SHOWN)))
    console.print(f"Written: {results}")
