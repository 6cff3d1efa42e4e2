"""Scores as tables for a terminal, or as one JSON object."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from longways.errors import ConfigError
from longways.results import Report, narrow, table

if TYPE_CHECKING:
    from longways.evaluation.comparison import Comparison


ALL_SCORES_MAX_SYSTEMS = 4
"""With more systems the table has only the main columns; the JSON has all of them."""

MAIN_COLUMNS = (
    "model", "context", "L", "document BLEU", "document chrF", "BLEU difference",
    "sentence BLEU difference", "loss",
)  # fmt: skip


def publish(result: Report, systems: list[dict[str, Any]], as_json: bool, out: Path | None) -> None:
    """Print the table or the JSON, and write the JSON to `out` if a file is named."""
    content = {**asdict(result), **({"systems": systems} if systems else {})}
    if out:
        _write(json.dumps(content, indent=2), out)
    if as_json:
        typer.echo(json.dumps(content))
    else:
        _show(result, systems)


def _write(text: str, out: Path) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{out} cannot be written ({error.strerror}). Name another file."
        ) from error


def _show(result: Report, systems: list[dict[str, Any]]) -> None:
    rows = [{k: "-" if v is None else v for k, v in row.items()} for row in result.rows]
    console = Console(markup=False, highlight=False)
    shown = replace(result, rows=rows)
    console.print(
        table(narrow(shown, MAIN_COLUMNS) if len(rows) > ALL_SCORES_MAX_SYSTEMS else shown)
    )
    for system in systems:
        for metric, signature in system["signatures"].items():
            console.print(f"{system['model']}: {metric}|{signature}", soft_wrap=True)


def show_documents(comparison: Comparison) -> None:
    """Print a table with the scores of every system on each document."""
    systems = comparison.details(by_document=True)
    names = [metric.name for metric in comparison.metrics]
    titles = [f"{name} {n}" for n in range(1, len(systems) + 1) for name in names]
    labels = (f"{n} {s['model']}" for n, s in enumerate(systems, start=1))
    shown = Table("document", "sentences", *titles, title=f"By document: {', '.join(labels)}")
    for lines in zip(*(system["documents"] for system in systems), strict=True):
        scores = [f"{line[name]:.2f}" for line in lines for name in names]
        shown.add_row(escape(lines[0]["document"]), str(lines[0]["sentences"]), *scores)
    Console(highlight=False).print(shown)
