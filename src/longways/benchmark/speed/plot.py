"""The figure and the table of the speed benchmark: speed-up over transformers by L."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from longways.errors import ConfigError
from longways.plotting import check_picture, open_pyplot, save_picture
from longways.results import Report, Row, show

BASELINES = {
    "concat": "--",
    "concat-shared": "-.",
    "prealloc": "-",
    "ctranslate2": "-",
    "ctranslate2-shared": ":",
}
"""The line style of each baseline."""

TABLE_COLUMNS = ("L", "batch", "system", "tokens/s", "first sentence ms", "peak MB")
"""Columns of the table; the JSON report has more."""


RENAMED_COLUMNS = {"engine": "system"}
"""Old names of columns, and their new names."""


def speed_table(result: Report) -> Table:
    """A row for each system, L and batch, without empty columns."""
    ratios = [f"over {name}" for name in BASELINES]
    names = [*TABLE_COLUMNS[:4], *ratios, *TABLE_COLUMNS[4:], "note"]
    names = [name for name in names if any(row.get(name) for row in result.rows)]
    shown = Table(title=result.claim)
    for name in names:
        shown.add_column(name, overflow="fold")
    for row in result.rows:
        shown.add_row(*("-" if row.get(name) is None else show(row[name]) for name in names))
    return shown


def plot_speed(rows: Sequence[Row], out: Path) -> None:
    """Draw the rows of `measure`, with a panel for each device and kind of batch."""
    check_picture(out)
    panels = list(dict.fromkeys((row["device"], row["batches"]) for row in rows if _lines([row])))
    if not panels:
        raise ConfigError("No row has a ratio to a transformer: there is nothing to draw.")
    figure, axes = open_pyplot().subplots(
        1, len(panels), figsize=(4.2 * len(panels) + 0.8, 4), layout="constrained", squeeze=False
    )
    for panel, axis in zip(panels, axes[0], strict=True):
        _draw([row for row in rows if (row["device"], row["batches"]) == panel], panel, axis)
    axes[0][0].set_ylabel("speed-up over the transformer")
    handles = {label: line for axis in axes[0] for line, label in _legend(axis)}
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=2, fontsize=8)
    save_picture(figure, out)


def _legend(axis: Any) -> list[tuple[Any, str]]:
    return list(zip(*axis.get_legend_handles_labels(), strict=True))


def _lines(rows: Sequence[Row]) -> dict[tuple[str, str], list[tuple[int, float]]]:
    """Points (L, speed-up) of every RFA system over every baseline."""
    lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in rows:
        for baseline in BASELINES:
            ratio = row.get(f"over {baseline}")
            if ratio and row["system"] not in BASELINES:
                lines.setdefault((row["system"], baseline), []).append((row["L"], ratio))
    return lines


def _draw(rows: Sequence[Row], panel: tuple[str, str], axis: Any) -> None:
    lines = _lines(rows)
    systems = list(dict.fromkeys(system for system, _ in lines))
    for (system, baseline), points in lines.items():
        axis.plot(
            *zip(*sorted(points), strict=True),
            BASELINES[baseline],
            color=f"C{systems.index(system)}",
            marker="o",
            markersize=3,
            label=f"RFA {system} over {baseline}",
        )
    Ls = sorted({row["L"] for row in rows})
    axis.axhline(1.0, color="grey", linewidth=0.8)
    axis.set(xscale="log", yscale="log", xlabel="L", title=_title(*panel))
    axis.set_xticks(Ls, [str(L) for L in Ls], fontsize=7)
    axis.minorticks_off()
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.yaxis.set_major_locator(_ticks())
    axis.grid(alpha=0.3)


def _ticks() -> Any:
    """Ticks at 1, 2 and 5 of every power of ten."""
    from matplotlib.ticker import LogLocator

    return LogLocator(subs=(1, 2, 5))


def _title(device: str, batches: str) -> str:
    words = {
        "paper": "the paper's batches",
        "largest": "largest batch each",
        "talks": "whole talks",
    }
    return f"{device}, {words.get(batches, f'batch {batches}')}"


def read_rows(path: Path) -> list[Row]:
    """The rows of a report that `longways bench speed --out` wrote."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        rows: list[Row] = [_renamed(row) for row in result["rows"]]
        usable = result["name"] == "speed" and all({"system", "batches"} <= set(r) for r in rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} cannot be read as a report: {error}.") from error
    if not usable:
        raise ConfigError(
            f"{path} is not a report of `longways bench speed`; write one with --out."
        )
    return rows


def _renamed(row: Row) -> Row:
    """A row with current column names; reports of version 0.1 have an old one."""
    return {RENAMED_COLUMNS.get(name, name): value for name, value in row.items()}


def last_rows(reports: Sequence[Sequence[Row]]) -> list[Row]:
    """The rows of all reports; of rows that measure the same, the last."""
    same = ("device", "batches", "L", "system")
    return list(
        {tuple(row.get(key) for key in same): row for rows in reports for row in rows}.values()
    )
