"""Plot the curves of one or several runs: losses, scores and statistics of attention."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.plotting import open_pyplot, save_picture
from longways.training.runs.log import read_log
from longways.training.runs.run import LOG_FILE

SMOOTHING = 0.98
"""The decay rate of the moving average of the training loss, per update."""

MAX_POINTS = 400
"""The largest number of points of a curve; more points only make the file larger."""

COLOURS, LINE_STYLES = 10, ("-", "--", ":", "-.")
"""After ten runs the colours repeat with another line style."""

COLUMNS = 4
"""Panels beside each other."""

TRAINING_TITLE = "training loss, smoothed"
Curve = tuple[list[int], list[float]]
"""Updates, and a value for each."""


def plot_runs(folders: list[Path], out: Path) -> None:
    """Plot curves over updates as PNG or SVG, with a colour for each run.

    There is a panel for the training loss, the dev loss, every other validation metric, and every
    statistic of attention: means over layers, and for a single run a curve for each layer.
    """
    if len(folders) == 1:
        curves = {folders[0].name: log_curves(folders[0], statistics=False)}
        curves |= layer_curves(folders[0])
    else:
        curves = {folder.name: log_curves(folder) for folder in folders}
    plot_curves(curves, out)


def plot_curves(runs: Mapping[str, dict[str, Curve]], out: Path) -> None:
    """Plot the curves of `log_curves` or `summary_curves`, by the names of the runs."""
    panels = list(dict.fromkeys(name for found in runs.values() for name in found))
    rows, columns = -(-len(panels) // COLUMNS), min(len(panels), COLUMNS)
    figure, axes = open_pyplot().subplots(
        rows, columns, figsize=(5.5 * columns, 4 * rows), layout="constrained", squeeze=False
    )
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for panel, axis in zip(panels, axes.flat, strict=False):
        for number, (name, found) in enumerate(runs.items()):
            if panel in found:
                style = LINE_STYLES[number // COLOURS % len(LINE_STYLES)]
                marker = None if panel == TRAINING_TITLE else "."
                axis.plot(*thinned(found[panel]), label=name, marker=marker, linestyle=style)
        axis.set(xlabel="update", title=panel)
        axis.grid(alpha=0.3)
        axis.legend()
    save_picture(figure, out)


def log_curves(folder: Path, *, statistics: bool = True) -> dict[str, Curve]:
    """The smoothed training loss, each validation score, and each statistic of attention."""
    log = _read(folder)
    updates = [entry for entry in log if entry.get("done")]
    losses = _updates(updates), _smooth([entry["loss"] for entry in updates])
    found = {TRAINING_TITLE: losses, **_scores(log)}
    if statistics:
        for name, entries in _statistics(log).items():
            means = [sum(values) / len(values) for _, values in entries]
            found[name] = [update for update, _ in entries], means
    return found


def layer_curves(folder: Path) -> dict[str, dict[str, Curve]]:
    """The curves of every statistic of attention, by layer."""
    found: dict[str, dict[str, Curve]] = {}
    for name, entries in _statistics(_read(folder)).items():
        for number, values in enumerate(zip(*(one for _, one in entries), strict=True), 1):
            curve = [update for update, _ in entries], list(values)
            found.setdefault(f"layer {number}", {})[name] = curve
    return found


def _read(folder: Path) -> list[dict[str, Any]]:
    path = folder / LOG_FILE
    if not path.exists():
        raise CorpusError(f"{folder} is not a run: it has no {LOG_FILE}.")
    return read_log(path)


def _statistics(log: list[dict[str, Any]]) -> dict[str, list[tuple[int, list[float]]]]:
    """Updates with a value for each layer, by the name of the statistic."""
    found: dict[str, list[tuple[int, list[float]]]] = {}
    for entry in log:
        for name, values in entry.get("attention", {}).items():
            found.setdefault(name, []).append((entry["update"], values))
    return found


def summary_curves(curve: list[dict[str, Any]]) -> dict[str, Curve]:
    """The curves of a run's summary, which has a point for each validation only."""
    losses = _updates(curve), [point["loss"] for point in curve]
    return {TRAINING_TITLE: losses, **_scores(curve)}


def _scores(log: list[dict[str, Any]]) -> dict[str, Curve]:
    found = {}
    for name in dict.fromkeys(key for entry in log for key in entry if key.startswith("dev_")):
        entries = [entry for entry in log if name in entry]
        title = f"development {name.removeprefix('dev_').replace('bleu', 'BLEU')}"
        found[title] = _updates(entries), [entry[name] for entry in entries]
    return found


def thinned(curve: Curve) -> Curve:
    """Every nth point of a long curve, and its last point."""
    updates, values = curve
    step = -(-len(updates) // MAX_POINTS) or 1
    kept = sorted({*range(0, len(updates), step), *range(len(updates))[-1:]})
    return [updates[i] for i in kept], [values[i] for i in kept]


def _updates(entries: list[dict[str, Any]]) -> list[int]:
    return [entry["update"] for entry in entries]


def _smooth(values: list[float]) -> list[float]:
    """An exponential moving average with bias correction."""
    smoothed, mean, weight = [], 0.0, 0.0
    for value in values:
        mean, weight = (
            SMOOTHING * mean + (1 - SMOOTHING) * value,
            SMOOTHING * weight + 1 - SMOOTHING,
        )
        smoothed.append(mean / weight)
    return smoothed
