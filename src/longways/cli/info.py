"""`longways info`: what a folder is."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def info(
    folder: Annotated[Path, typer.Argument(help="A model folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
) -> None:
    """Show what a model folder holds: its architecture, every setting, and what it remembers."""
    from longways.config import describe
    from longways.model.config import ModelConfig
    from longways.model.manifest import read_manifest

    manifest = read_manifest(folder)
    if as_json:
        typer.echo(json.dumps(asdict(manifest)))
        return
    values = _flat(asdict(manifest.model))
    table = Table("setting", "value", "meaning", title=f"{folder}, by Longways {manifest.longways}")
    for setting in describe(ModelConfig):
        table.add_row(setting.key, f"{values[setting.key]}", setting.meaning)
    console = Console()
    console.print(table)
    for name, fact in manifest.facts.items():
        console.print(f"{name}: {fact}")


def _flat(values: dict[str, object], table: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{table}{key}.") if isinstance(value, dict) else {table + key: value}
    return flat
