"""Plot the loss and score curves of one or several runs."""

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

TRAINING_TITLE = "training loss, smoothed"
Curve = tuple[list[int], list[float]]
"""Updates, and a value for each."""


def plot_runs(folders: list[Path], out: Path) -> None:
    """Plot curves over updates as PNG or SVG, with a colour for each run.

    There is a panel for the training loss, the dev loss, and every other validation metric.
    """
    plot_curves({folder.name: log_curves(folder) for folder in folders}, out)


def plot_curves(runs: Mapping[str, dict[str, Curve]], out: Path) -> None:
    """Plot the curves of `log_curves` or `summary_curves`, by the names of the runs."""
    panels = list(dict.fromkeys(name for found in runs.values() for name in found))
    size = (5.5 * len(panels), 4)
    figure, axes = open_pyplot().subplots(
        1, len(panels), figsize=size, layout="constrained", squeeze=False
    )
    for panel, axis in zip(panels, axes[0], strict=True):
        for number, (name, found) in enumerate(runs.items()):
            if panel in found:
                style = LINE_STYLES[number // COLOURS % len(LINE_STYLES)]
                marker = None if panel == TRAINING_TITLE else "."
                axis.plot(*thinned(found[panel]), label=name, marker=marker, linestyle=style)
        axis.set(xlabel="update", title=panel)
        axis.grid(alpha=0.3)
        axis.legend()
    save_picture(figure, out)


def log_curves(folder: Path) -> dict[str, Curve]:
    """The smoothed training loss and each validation score, from the log of a run."""
    path = folder / LOG_FILE
    if not path.exists():
        raise CorpusError(f"{folder} is not a run: it has no {LOG_FILE}.")
    log = read_log(path)
    updates = [entry for entry in log if entry.get("done")]
    losses = _updates(updates), _smooth([entry["loss"] for entry in updates])
    return {TRAINING_TITLE: losses, **_scores(log)}


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
