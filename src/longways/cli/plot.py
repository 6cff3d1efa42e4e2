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
    from longways.plotting import check_picture
    from longways.training.runs.plot import plot_runs

    check_picture(out)
    plot_runs(runs, out)
    typer.echo(str(out))
