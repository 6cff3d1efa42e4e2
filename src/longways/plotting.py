"""Pictures by matplotlib, which is loaded only here: the same numbers give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longways.errors import ConfigError


def check_picture(path: Path) -> None:
    """Raise unless the file's name says how to draw it."""
    if path.suffix not in (".png", ".svg"):
        raise ConfigError(f"{path} must end in .png or .svg.")


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
