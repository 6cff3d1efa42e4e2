"""The curves of one or several runs in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.plotting import open_pyplot, save_picture
from longways.training.runs.log import read_log
from longways.training.runs.run import LOG_FILE

SMOOTH = 0.98
"""How much of the curve so far each update keeps; the training loss jumps from batch to batch."""

POINTS = 400
"""Points of a curve that are drawn at most: more of them only make the file large."""

COLOURS, STYLES = 10, ("-", "--", ":", "-.")
"""Runs beyond the tenth have the same colours again, in another style."""

TRAINING = "training loss, smoothed"
Curve = tuple[list[int], list[float]]
"""Updates, and a number at each."""


def plot_runs(folders: list[Path], out: Path) -> None:
    """Curves over updates, a colour for each run, as PNG or SVG.

    Training loss and development loss, and every other score that a run was judged by.
    """
    plot_curves({folder.name: log_curves(folder) for folder in folders}, out)


def plot_curves(runs: Mapping[str, dict[str, Curve]], out: Path) -> None:
    """The same from what `log_curves` found, by the names of the runs."""
    panels = list(dict.fromkeys(name for found in runs.values() for name in found))
    size = (5.5 * len(panels), 4)
    figure, axes = open_pyplot().subplots(
        1, len(panels), figsize=size, layout="constrained", squeeze=False
    )
    for panel, place in zip(panels, axes[0], strict=True):
        for number, (name, found) in enumerate(runs.items()):
            if panel in found:
                style = STYLES[number // COLOURS % len(STYLES)]
                marker = None if panel == TRAINING else "."
                place.plot(*thinned(found[panel]), label=name, marker=marker, linestyle=style)
        place.set(xlabel="update", title=panel)
        place.grid(alpha=0.3)
        place.legend()
    save_picture(figure, out)


def log_curves(folder: Path) -> dict[str, Curve]:
    """Updates and smoothed training losses; updates and each development score."""
    path = folder / LOG_FILE
    if not path.exists():
        raise CorpusError(f"{folder} is no run: it has no {LOG_FILE}.")
    log = read_log(path)
    updates = [entry for entry in log if entry.get("done")]
    losses = _updates(updates), _smooth([entry["loss"] for entry in updates])
    return {TRAINING: losses, **_scores(log)}


def summary_curves(looks: list[dict[str, Any]]) -> dict[str, Curve]:
    """The same from a summary's curve: coarser, since it has a point for each look only."""
    losses = _updates(looks), [look["loss"] for look in looks]
    return {TRAINING: losses, **_scores(looks)}


def _scores(log: list[dict[str, Any]]) -> dict[str, Curve]:
    found = {}
    for name in dict.fromkeys(key for entry in log for key in entry if key.startswith("dev_")):
        looks = [entry for entry in log if name in entry]
        title = f"development {name.removeprefix('dev_').replace('bleu', 'BLEU')}"
        found[title] = _updates(looks), [entry[name] for entry in looks]
    return found


def thinned(curve: Curve) -> Curve:
    """Every nth point of a long curve, and its last."""
    updates, values = curve
    step = -(-len(updates) // POINTS) or 1
    kept = sorted({*range(0, len(updates), step), *range(len(updates))[-1:]})
    return [updates[i] for i in kept], [values[i] for i in kept]


def _updates(entries: list[dict[str, Any]]) -> list[int]:
    return [entry["update"] for entry in entries]


def _smooth(values: list[float]) -> list[float]:
    """A running mean that forgets, corrected for its short past at the start."""
    smoothed, mean, weight = [], 0.0, 0.0
    for value in values:
        mean, weight = SMOOTH * mean + (1 - SMOOTH) * value, SMOOTH * weight + 1 - SMOOTH
        smoothed.append(mean / weight)
    return smoothed
