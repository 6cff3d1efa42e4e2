"""`longways export`: a model that translates without torch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def export(
    model: Annotated[Path, typer.Argument(help="A model folder, as RUN/best.")],
    out: Annotated[Path, typer.Argument(help="The folder to write.")],
    int8: Annotated[
        bool, typer.Option("--int8/--float32", help="Weights of 8 bits: a quarter of the size.")
    ] = True,
    window: Annotated[
        int | None,
        typer.Option(help="Sentences in a window, unless `translate` is told; as trained if not."),
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace a folder that is there.")] = False,
    check: Annotated[
        bool, typer.Option(help="Compare with the model itself; --no-check does not.")
    ] = True,
) -> None:
    """Write a model as ONNX graphs, which need neither torch nor a GPU, and say how close they are.

    The new folder is a model folder like any other: config, text pipeline and model card come
    along. `longways translate --model OUT` starts in under a second with it.
    """
    from longways.errors import ConfigError
    from longways.export.exporter import export_model
    from longways.export.parity import parity

    if out.exists() and not force:
        raise ConfigError(f"{out} is there already. Use --force to replace it, or another name.")
    export_model(model, out, int8, window)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    Console(stderr=True).print(f"Written: {out}, {size / 1e6:.1f} MB", soft_wrap=True)
    if check:
        table = Table("", "", title="The exported model beside its original", show_header=False)
        told = asdict(parity(model, out))
        for name, meaning in MEANINGS.items():
            value = told[name]
            table.add_row(meaning, f"{value:.2g}" if isinstance(value, float) else f"{value}")
        Console().print(table)


MEANINGS = {
    "score": "log-probabilities of whole windows differ by at most",
    "prefix": "of the best words after a prefix",
    "steps": "of the best words, step by step",
    "sentences": "random sentences translated by both",
    "same": "and translated alike",
}
