"""`longways consistency`: whether models prefer what fits the sentences before it."""

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
            help="Model folders, and contrastive sets: JSON files, may be .xz or .gz, or a folder "
            "of them.",
        ),
    ],
    window: Annotated[
        list[int] | None,
        typer.Option(help="Sentences in a window, repeatable; by default 1 to each model's own."),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    root: Annotated[
        Path,
        typer.Option("--data", help="Where sets are that are not here.", envvar="LONGWAYS_DATA"),
    ] = Path(),
    plot: Annotated[
        Path | None, typer.Option(help="Draw accuracy over L into this .png or .svg file.")
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Also write JSON here.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object in place of the table.")
    ] = False,
) -> None:
    """Score contrastive sets: accuracy by window length and by distance of the context.

    Each item has several candidate translations that differ in the last sentence; only earlier
    sentences tell which is right. A model is right if the true candidate has the highest mean
    log-probability, and no other is as good: ties count as wrong, and are shown. Guessing is right
    as often as the column `guessing` says.

    Several models and several sets make one table:

        longways consistency runs/one/best runs/two/best sets/ --plot consistency.svg
    """
    from longways.evaluation.consistency.models import plan_consistency
    from longways.evaluation.consistency.plot import plot_consistency
    from longways.evaluation.consistency.sets import read_sets
    from longways.plotting import check_picture
    from longways.results import report

    if plot:
        check_picture(plot)
    models, sets = _sorted_out(paths, root)
    questions = plan_consistency(models, read_sets(sets), window)
    rows = _answers(questions, device)
    settings = {"models": [q.name for q in questions], "sets": [path.name for path in sets]}
    result = report("consistency", "Consistency", settings, rows, device)
    if out:
        _keep(result, out)
    if plot:
        plot_consistency(rows, plot)
    if as_json:
        print(json.dumps(asdict(result)))
    else:
        Console().print(_table(rows))


def _sorted_out(paths: list[Path], root: Path) -> tuple[list[Path], list[Path]]:
    """The model folders and the sets among the paths; a folder without a model is one of sets."""
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


def _answers(questions: list[ConsistencyTask], device: str) -> list[dict[str, Any]]:
    """The rows of all models, under one bar that counts candidates."""
    from longways.evaluation.consistency.models import run_consistency

    rows = []
    with progress_bar("scoring", sum(q.candidates for q in questions)) as advance:
        for asked in questions:

            def tell(more: int, name: str = asked.name) -> None:
                advance(more, name)

            rows += run_consistency(asked, device, tell)
    return rows


def _keep(result: Report, out: Path) -> None:
    """Write JSON; a kill leaves no half a file."""
    from longways.results import write

    draft = out.with_name(f".{out.name}.writing")
    write(result, draft)
    draft.replace(out)


def _table(rows: list[dict[str, Any]]) -> Table:
    """A line for each model, set and L, narrow enough for a small terminal."""
    names, distances = ("L", "accuracy", "guessing", "ties"), _distances(rows)
    note = "d=N: those items in which the sentence N before the last decides." if distances else ""
    shown = Table(
        title="Consistency", caption=note, box=SIMPLE, collapse_padding=True, pad_edge=False
    )
    for name in ("model", "set"):
        shown.add_column(name, overflow="fold")
    for name in (*names, *(distance.replace("distance ", "d=") for distance in distances)):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        near = (row["by distance"].get(distance, "") for distance in distances)
        shown.add_row(row["model"], row["set"], *map(_show, (*(row[n] for n in names), *near)))
    return shown


def _distances(rows: list[dict[str, Any]]) -> list[str]:
    return sorted({name for row in rows for name in row["by distance"]})


def _show(value: float | str) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
