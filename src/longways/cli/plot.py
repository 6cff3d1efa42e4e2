"""`longways plot`: the curves of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plot(
    runs: Annotated[list[Path], typer.Argument(help="Folders written by longways train.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A .png or .svg file.")] = Path(
        "runs.png"
    ),
) -> None:
    """Draw training and development loss of one or several runs into one picture."""
    from longways.errors import ConfigError
    from longways.training.plot import plot_runs

    if out.suffix not in (".png", ".svg"):
        raise ConfigError(f"{out} must end in .png or .svg.")
    plot_runs(runs, out)
    typer.echo(str(out))
