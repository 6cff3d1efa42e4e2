"""`longways study`: train, evaluate and compare several models from one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from longways.recipes import find_study

COLUMNS = ("model", "L", "document BLEU", "BLEU difference", "dev loss", "state bytes")
"""Columns of the printed table; the report has all of them."""


def study(
    recipe: Annotated[
        Path,
        typer.Argument(metavar="STUDY", help="A study file, or the name of a bundled study."),
    ],
    work: Annotated[Path, typer.Argument(help="The folder for runs and translations.")],
    prepared: Annotated[Path, typer.Option(help="A folder written by longways prepare.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The folder for the report; by default results/NAME."),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    parallel: Annotated[int | None, typer.Option(hidden=True)] = None,
    root: Annotated[
        Path,
        typer.Option("--data", help="The folder of the contrastive sets.", envvar="LONGWAYS_DATA"),
    ] = Path(),
    only: Annotated[
        list[str] | None,
        typer.Option(help="Train and evaluate this model and the models it needs; repeatable."),
    ] = None,
    only_report: Annotated[
        bool, typer.Option(help="Compare existing results; train and evaluate nothing.")
    ] = False,
) -> None:
    """Train several models, translate with each, and compare them.

    A study file names a recipe and the settings that each model changes. The smallest bundled
    study runs on a laptop:

        longways prepare toy prepared/toy
        longways study study-toy runs/study-toy --prepared prepared/toy

    Models that are already trained or translated in WORK are not computed again, so the same
    command resumes a study after Ctrl-C or SIGTERM. If WORK is deleted, models that an earlier
    report in --out contains are compared from that report.

    The result is a table with paired bootstraps against the baseline and the paper's figures,
    training curves, and everything as JSON. A study may also score models on contrastive sets, and
    average models that differ only in their seeds.
    """
    from longways.corpus.prepared_data import open_data
    from longways.errors import ConfigError
    from longways.experiments.config import read_study
    from longways.experiments.plan import plan_steps
    from longways.experiments.report import write_report
    from longways.experiments.steps import run_steps
    from longways.experiments.stored_results import stored_models
    from longways.results import narrow, table

    if parallel is not None:
        raise ConfigError(
            "--parallel was removed: the steps of a study run one after the other. Leave it out."
        )
    console, plan, data = Console(stderr=True), read_study(find_study(recipe)), open_data(prepared)
    results = out or Path("results") / plan.name
    stored = stored_models(plan, results)
    options = (device, root, stored, only or ())
    steps = [] if only_report else plan_steps(plan, work, prepared, *options)
    if not run_steps(steps, work, console.print):
        console.print("Stopped early. Run the same command to resume.")
        return
    Console().print(table(narrow(write_report(plan, work, data, results), COLUMNS)))
    console.print(f"Written: {results}")
