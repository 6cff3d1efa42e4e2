"""Figures by matplotlib, which is imported only here. Equal numbers give identical files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longways.errors import ConfigError


def check_picture(path: Path) -> None:
    """Raise unless the name of a figure's file ends in .png or .svg."""
    if path.suffix not in (".png", ".svg"):
        raise ConfigError(f"{path} must end in .png or .svg.")


def open_pyplot() -> Any:
    """Matplotlib's pyplot, with a backend that opens no window."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def save_picture(figure: Any, out: Path) -> None:
    """Write a figure to a PNG or SVG file and close it."""
    pyplot = open_pyplot()
    out.parent.mkdir(parents=True, exist_ok=True)
    no_date = {"Date": None} if out.suffix == ".svg" else {}
    with pyplot.rc_context({"svg.hashsalt": out.stem}):
        figure.savefig(out, metadata=no_date)
    pyplot.close(figure)
