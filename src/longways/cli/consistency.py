"""`longways consistency`: accuracy of models on contrastive sets."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from longways.cli.progress import progress_bar
from longways.errors import ConfigError

if TYPE_CHECKING:
    from longways.evaluation.consistency.models import ConsistencyTask
    from longways.results import Report


def consistency(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL|SET",
            help="Model folders and contrastive sets. A set is a JSON file, also .json.xz or "
            ".json.gz, or a folder of such files.",
        ),
    ],
    window: Annotated[
        list[int] | None,
        typer.Option(
            help="Sentences in a window (L), repeatable; by default every L from 1 to the one that "
            "the model was trained with."
        ),
    ] = None,
    context: Annotated[
        list[str] | None,
        typer.Option(
            help="For stream models: sentences before the last one, or all, repeatable; by default "
            "0 to all. A context of n sentences is a row with L = n + 1."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    root: Annotated[
        Path,
        typer.Option(
            "--data",
            help="The folder of sets that are not in the current folder.",
            envvar="LONGWAYS_DATA",
        ),
    ] = Path(),
    plot: Annotated[
        Path | None, typer.Option(help="Draw accuracy over L into this .png or .svg file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Also write the result to this JSON file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
) -> None:
    """Score models on contrastive sets, whose right answer depends on earlier sentences.

    Each item of a set has several candidate translations that differ in the last sentence. Only
    the earlier sentences show which candidate is right. A model is right if the true candidate has
    the highest mean log-probability. A tie counts as wrong and is listed.

        longways consistency runs/one/best runs/two/best sets/ --plot consistency.svg

    The table has a row for each model, set and window length L, and accuracies by the distance
    between the last sentence and the sentence that decides. The column `guessing` is the accuracy
    of random choice.
    """
    from longways.evaluation.consistency.models import plan_consistency
    from longways.evaluation.consistency.plot import plot_consistency
    from longways.evaluation.consistency.sets import read_sets
    from longways.plotting import check_picture
    from longways.results import report

    if plot:
        check_picture(plot)
    models, sets = _models_and_sets(paths, root)
    tasks = plan_consistency(models, read_sets(sets), window, context)
    rows = _scores(tasks, device)
    settings = {"models": [task.name for task in tasks], "sets": [path.name for path in sets]}
    result = report("consistency", "Consistency", settings, rows, device)
    if out:
        _write(result, out)
    if plot:
        plot_consistency(rows, plot)
    if as_json:
        print(json.dumps(asdict(result)))
    else:
        Console().print(_table(rows))


def _models_and_sets(paths: list[Path], root: Path) -> tuple[list[Path], list[Path]]:
    """The model folders and the sets among the paths. A folder without a model contains sets."""
    from longways.evaluation.consistency.sets import find_sets
    from longways.model.manifest import CONFIG_FILE

    for path in paths:
        if (path / "best" / CONFIG_FILE).exists():
            raise ConfigError(
                f"{path} is a run, not a model. Name the model in it: {path / 'best'}"
            )
    models = [path for path in paths if (path / CONFIG_FILE).exists()]
    sets = [found for path in paths if path not in models for found in find_sets(path, root)]
    if not models or not sets:
        has, lacks = ("a set", "model folder") if sets else ("a model", "contrastive set")
        raise ConfigError(
            f"There is {has}, but no {lacks}. Name both, as in: "
            "longways consistency runs/mine/best sets/deixis.json"
        )
    return models, sets


def _scores(tasks: list[ConsistencyTask], device: str) -> list[dict[str, Any]]:
    """The rows of all models. One progress bar counts candidates."""
    from longways.evaluation.consistency.models import run_consistency

    rows = []
    with progress_bar("scoring", sum(task.candidates for task in tasks)) as advance:
        for task in tasks:

            def report_progress(candidates: int, name: str = task.name) -> None:
                advance(candidates, name)

            rows += run_consistency(task, device, report_progress)
    return rows


def _write(result: Report, out: Path) -> None:
    """Write JSON under another name, then rename it: an interrupt leaves no partial file."""
    from longways.results import write

    draft = out.with_name(f".{out.name}.writing")
    write(result, draft)
    draft.replace(out)


def _table(rows: list[dict[str, Any]]) -> Table:
    """A row for each model, set and L, narrow enough for 80 columns."""
    names, distances = ("L", "accuracy", "guessing", "ties"), _distances(rows)
    note = "d=N: items in which the sentence N before the last one decides." if distances else ""
    shown = Table(
        title="Consistency", caption=note, box=SIMPLE, collapse_padding=True, pad_edge=False
    )
    for name in ("model", "set"):
        shown.add_column(name, overflow="fold")
    for name in (*names, *(distance.replace("distance ", "d=") for distance in distances)):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        cells = *(row[n] for n in names), *(row["by distance"].get(d, "") for d in distances)
        shown.add_row(row["model"], row["set"], *map(_show, cells))
    return shown


def _distances(rows: list[dict[str, Any]]) -> list[str]:
    return sorted({name for row in rows for name in row["by distance"]})


def _show(value: float | str) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
