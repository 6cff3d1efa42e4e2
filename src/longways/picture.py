"""Pictures by matplotlib, which is loaded only here: the same numbers give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def open_pyplot() -> Any:
    """What figures are made with; no window is opened."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def save_picture(figure: Any, out: Path) -> None:
    """Write a figure as its name says, PNG or SVG, and forget it."""
    pyplot = open_pyplot()
    out.parent.mkdir(parents=True, exist_ok=True)
    dated = {"Date": None} if out.suffix == ".svg" else {}
    with pyplot.rc_context({"svg.hashsalt": out.stem}):
        figure.savefig(out, metadata=dated)
    pyplot.close(figure)
