"""The paper's figure: how many times faster than a transformer, over L; and the table beside it."""

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
"""How the line of each baseline is drawn."""

SHOWN = ("L", "batch", "system", "tokens/s", "first sentence ms", "peak MB")
"""Columns of the table; the JSON line has the others."""


def speed_table(result: Report) -> Table:
    """A line for each system at each L and batch; columns in which nothing stands are left out."""
    ratios = [f"over {name}" for name in BASELINES]
    names = [*SHOWN[:4], *ratios, *SHOWN[4:], "note"]
    names = [name for name in names if any(row.get(name) for row in result.rows)]
    shown = Table(title=result.claim)
    for name in names:
        shown.add_column(name, overflow="fold")
    for row in result.rows:
        shown.add_row(*("-" if row.get(name) is None else show(row[name]) for name in names))
    return shown


def plot_speed(rows: Sequence[Row], out: Path) -> None:
    """Draw rows as `speed.measure` gives them: a panel for each device and kind of batch."""
    check_picture(out)
    panels = list(dict.fromkeys((row["device"], row["batches"]) for row in rows if _lines([row])))
    if not panels:
        raise ConfigError("No row has a ratio to a transformer: there is nothing to draw.")
    figure, axes = open_pyplot().subplots(
        1, len(panels), figsize=(4.2 * len(panels) + 0.8, 4), layout="constrained", squeeze=False
    )
    for panel, place in zip(panels, axes[0], strict=True):
        _draw([row for row in rows if (row["device"], row["batches"]) == panel], panel, place)
    axes[0][0].set_ylabel("speed-up over the transformer")
    handles = {label: line for place in axes[0] for line, label in _legend(place)}
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=2, fontsize=8)
    save_picture(figure, out)


def _legend(place: Any) -> list[tuple[Any, str]]:
    return list(zip(*place.get_legend_handles_labels(), strict=True))


def _lines(rows: Sequence[Row]) -> dict[tuple[str, str], list[tuple[int, float]]]:
    """Points (L, ratio) of every system over every baseline, its own kind left out."""
    lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in rows:
        for baseline in BASELINES:
            ratio = row.get(f"over {baseline}")
            if ratio and row["system"] not in BASELINES:
                lines.setdefault((row["system"], baseline), []).append((row["L"], ratio))
    return lines


def _draw(rows: Sequence[Row], panel: tuple[str, str], place: Any) -> None:
    lines = _lines(rows)
    systems = list(dict.fromkeys(system for system, _ in lines))
    for (system, baseline), points in lines.items():
        place.plot(
            *zip(*sorted(points), strict=True),
            BASELINES[baseline],
            color=f"C{systems.index(system)}",
            marker="o",
            markersize=3,
            label=f"RFA {system} over {baseline}",
        )
    Ls = sorted({row["L"] for row in rows})
    place.axhline(1.0, color="grey", linewidth=0.8)
    place.set(xscale="log", yscale="log", xlabel="L", title=_title(*panel))
    place.set_xticks(Ls, [str(L) for L in Ls], fontsize=7)
    place.minorticks_off()
    place.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    place.yaxis.set_major_locator(_ticks())
    place.grid(alpha=0.3)


def _ticks() -> Any:
    """1, 2 and 5 of every power of ten."""
    from matplotlib.ticker import LogLocator

    return LogLocator(subs=(1, 2, 5))


def _title(device: str, batches: str) -> str:
    said = {"paper": "the paper's batches", "largest": "largest batch each", "talks": "whole talks"}
    return f"{device}, {said.get(batches, f'batch {batches}')}"


def read_rows(path: Path) -> list[Row]:
    """The rows of a report that `longways bench speed --out` wrote."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        rows: list[Row] = [_renamed(row) for row in result["rows"]]
        usable = result["name"] == "speed" and all({"system", "batches"} <= set(r) for r in rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} cannot be read as a report: {error}.") from error
    if not usable:
        raise ConfigError(f"{path} is no report of `longways bench speed`; write one with --out.")
    return rows


def _renamed(row: Row) -> Row:
    """A row with today's column names: `system` was `engine` in reports of version 0.1."""
    return {"system" if name == "engine" else name: value for name, value in row.items()}


def last_rows(reports: Sequence[Sequence[Row]]) -> list[Row]:
    """The rows of all reports, of those that measure the same the last."""
    same = ("device", "batches", "L", "system")
    return list(
        {tuple(row.get(key) for key in same): row for rows in reports for row in rows}.values()
    )
