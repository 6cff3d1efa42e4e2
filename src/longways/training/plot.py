"""The curves of one or several runs in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.training.log import read_log
from longways.training.run import LOG_FILE

SMOOTH = 0.98
"""How much of the curve so far each update keeps; the training loss jumps from batch to batch."""


def plot_runs(folders: list[Path], out: Path) -> None:
    """Training loss and development loss over updates, a colour for each run, as PNG or SVG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for folder in folders:
        training, development = curves(folder)
        left.plot(*training, label=folder.name)
        right.plot(*development, label=folder.name, marker=".")
    for axes, title in ((left, "training loss, smoothed"), (right, "development loss")):
        axes.set(xlabel="update", title=title)
        axes.grid(alpha=0.3)
        axes.legend()
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out)
    pyplot.close(figure)


def curves(folder: Path) -> tuple[tuple[list[int], list[float]], tuple[list[int], list[float]]]:
    """Updates and smoothed training losses; updates and development losses."""
    path = folder / LOG_FILE
    if not path.exists():
        raise CorpusError(f"{folder} is no run: it has no {LOG_FILE}.")
    log = read_log(path)
    updates = [entry for entry in log if entry.get("done")]
    looks = [entry for entry in log if "dev_loss" in entry]
    smoothed = _smooth([entry["loss"] for entry in updates])
    training = _updates(updates), smoothed
    return training, (_updates(looks), [entry["dev_loss"] for entry in looks])


def _updates(entries: list[dict[str, Any]]) -> list[int]:
    return [entry["update"] for entry in entries]


def _smooth(values: list[float]) -> list[float]:
    """A running mean that forgets, corrected for its short past at the start."""
    smoothed, mean, weight = [], 0.0, 0.0
    for value in values:
        mean, weight = SMOOTH * mean + (1 - SMOOTH) * value, SMOOTH * weight + 1 - SMOOTH
        smoothed.append(mean / weight)
    return smoothed
