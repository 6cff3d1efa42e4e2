"""`longways info`: what a model, prepared data or a run contains."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per folder.")]
Plot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Draw the loss and score curves of these runs into one .png or .svg file instead.",
    ),
]


def info(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FOLDER]...",
            help="Model folders or names, prepared data or runs; by default the bundled model.",
            show_default=False,
        ),
    ] = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Show what a folder contains.

    For a model: its architecture, every setting with its meaning, and how it was trained. For
    prepared data: documents, sentences, tokens, unknown words and sentence lengths. For a run: its
    settings, its progress, and the command that resumes it.

    Compare the curves of several runs in one figure:

        longways info runs/one runs/two --plot curves.png
    """
    from longways.translation.installed.lookup import find_model
    from longways.translation.model_folder import default_model

    if plot:
        _draw(folders or [], plot)
        return
    for named in folders or [default_model()]:
        folder = named if named.is_dir() else find_model(named)
        if (folder / "run.json").is_file():
            _show_run(folder, as_json)
        elif (folder / "train").is_dir():
            _show_data(folder, as_json)
        else:
            _show_model(folder, as_json)


def _draw(runs: list[Path], plot: Path) -> None:
    """Draw training loss and validation scores of all runs."""
    from longways.errors import ConfigError
    from longways.plotting import check_picture
    from longways.training.runs.plot import plot_runs

    check_picture(plot)
    if not runs:
        raise ConfigError(f"No run is named. Write: longways info RUN... --plot {plot}")
    plot_runs(runs, plot)
    typer.echo(str(plot))


def _show_model(folder: Path, as_json: bool) -> None:
    from longways.config import describe, flatten
    from longways.model.config import ModelConfig
    from longways.model.manifest import CARD_FILE, read_manifest

    manifest = read_manifest(folder)
    if as_json:
        typer.echo(json.dumps(asdict(manifest)))
        return
    values = flatten(asdict(manifest.model))
    table = Table("setting", "value", "meaning", title=f"{folder}, by Longways {manifest.longways}")
    for setting in describe(ModelConfig):
        table.add_row(setting.key, f"{values[setting.key]}", setting.meaning)
    console = Console()
    console.print(table)
    for name, fact in manifest.facts.items():
        console.print(f"{name}: {fact}")
    if (folder / CARD_FILE).is_file():
        console.print(f"Model card with sources, licences, scores and limits: {folder / CARD_FILE}")


def _show_run(folder: Path, as_json: bool) -> None:
    from longways.config import flatten
    from longways.training.runs.summary import summarise

    summary = summarise(folder)
    if as_json:
        typer.echo(json.dumps(summary))
        return
    table = Table("", "", title=f"{folder}: a run", show_header=False)
    for name, value in flatten({**summary, "curve": len(summary["curve"])}).items():
        table.add_row("validations" if name == "curve" else name, f"{value}")
    console = Console()
    console.print(table)
    command = summary["command"] or f"longways train RECIPE {folder}"
    console.print(f"To resume: {command}", soft_wrap=True)


def _show_data(folder: Path, as_json: bool) -> None:
    from longways.corpus.prepared_data import open_data
    from longways.corpus.statistics import draw, histogram, statistics

    data = open_data(folder)
    rows = statistics(data)
    lengths = {
        name: {side: histogram(data.split(name), side) for side in ("source", "target")}
        for name in data.counts
    }
    if as_json:
        typer.echo(json.dumps({"rows": rows, "histogram": lengths, "dropped": data.dropped}))
        return
    languages = data.config["source_language"], data.config["target_language"]
    sizes = " and ".join(f"{size:,}" for size in data.vocabularies)
    table = Table("", *data.counts, title=f"{folder}: {languages[0]} to {languages[1]}")
    for key in list(rows[0])[1:]:
        table.add_row(key, *(f"{row[key]:,}" for row in rows))
    for side in ("source", "target"):
        table.add_row(
            f"{side} lengths, 0 to 200", *(draw(lengths[name][side]) for name in data.counts)
        )
    console = Console()
    console.print(table, f"Vocabularies: {sizes} entries, by {data.config['text']['kind']}.")
    for name, kinds in data.dropped.items():
        for kind, count in kinds.items():
            console.print(f"Dropped from {name}: {count:,} x {kind}.")
