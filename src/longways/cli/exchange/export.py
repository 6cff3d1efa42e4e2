"""`longways export`: a model as ONNX graphs, which translate without torch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

MEANINGS = {
    "score": "largest difference in log-probability of a window",
    "prefix": "largest difference in log-probability of the best words after a prefix",
    "steps": "largest difference in log-probability of the best words, step by step",
    "sentences": "random sentences translated by both",
    "same": "sentences translated alike",
}
"""Rows of the comparison table: fields of `Parity`, and what they mean."""


def export(
    model: Annotated[Path, typer.Argument(help="A model folder, as in runs/mine/best.")],
    out: Annotated[Path, typer.Argument(help="The folder to write.")],
    int8: Annotated[
        bool,
        typer.Option("--int8/--float32", help="8-bit weights, a quarter of the size, or float32."),
    ] = True,
    window: Annotated[
        int | None,
        typer.Option(
            help="Sentences in a window (L) that `longways translate` uses by default with this "
            "model; otherwise the L that it was trained with."
        ),
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace the folder if it exists.")] = False,
    check: Annotated[
        bool, typer.Option(help="Compare the exported model with the original.")
    ] = True,
) -> None:
    """Export a model to ONNX graphs, which need neither torch nor a GPU, and check them.

    The new folder is a complete model folder with config, text pipeline and model card. It starts
    in under a second:

        longways export runs/mine/best models/mine
        longways translate page.zh.txt --model models/mine
    """
    from longways.errors import ConfigError
    from longways.export.exporter import export_model
    from longways.export.parity import parity

    if out.exists() and not force:
        raise ConfigError(f"{out} exists already. Use --force to replace it, or another name.")
    export_model(model, out, int8, window)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    Console(stderr=True).print(f"Written: {out}, {size / 1e6:.1f} MB", soft_wrap=True)
    if check:
        table = Table("", "", title="The exported model beside the original", show_header=False)
        values = asdict(parity(model, out))
        for name, meaning in MEANINGS.items():
            value = values[name]
            table.add_row(meaning, f"{value:.2g}" if isinstance(value, float) else f"{value}")
        Console().print(table)
