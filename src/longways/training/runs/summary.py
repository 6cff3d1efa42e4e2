"""Summary of a run from its folder: progress, time, best score, loss curve and settings.

Loads without torch.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from longways.training.config import HIGHER_IS_BETTER
from longways.training.runs.log import read_log
from longways.training.runs.run import LOG_FILE, Run, read_run


def summarise(folder: Path) -> dict[str, Any]:
    """The summary of a run as values that JSON can hold."""
    run = read_run(folder)
    log = read_log(folder / LOG_FILE) if (folder / LOG_FILE).exists() else []
    updates = [entry for entry in log if "loss" in entry]
    seconds = sum(entry["seconds"] for entry in updates)
    tokens = sum(entry["tokens"] for entry in updates)
    return {
        "data": run.data.name,
        "update": log[-1]["update"] if log else 0,
        "of": run.config.training.updates,
        "seconds": round(seconds, 1),
        "target tokens a second": round(tokens / seconds) if seconds else None,
        **_best(run, log),
        "attention": next((e["attention"] for e in reversed(log) if "attention" in e), {}),
        "skipped updates": sum(not entry["done"] for entry in updates),
        "curve": curve(log),
        "command": run.command,
        "machine": run.machine,
        "config": asdict(run.config),
    }


def _best(run: Run, log: list[dict[str, Any]]) -> dict[str, Any]:
    metric = run.config.training.metric
    validations = [entry for entry in log if f"dev_{metric}" in entry]
    if not validations:
        return {f"best dev {metric}": None, f"last dev {metric}": None, "best update": None}
    choose = max if HIGHER_IS_BETTER[metric] else min
    best = choose(validations, key=lambda entry: entry[f"dev_{metric}"])
    return {
        f"best dev {metric}": best[f"dev_{metric}"],
        f"last dev {metric}": validations[-1][f"dev_{metric}"],
        "best update": best["update"],
    }


def curve(log: list[dict[str, Any]]) -> list[dict[str, float]]:
    """For every validation: the update, its scores, and the mean training loss since the last."""
    points, losses = [], list[float]()
    for entry in log:
        if "loss" in entry:
            losses.append(entry["loss"])
            continue
        scores = {name: value for name, value in entry.items() if name.startswith("dev_")}
        if not scores:  # an entry from before the first update
            continue
        mean = sum(losses) / len(losses) if losses else float("nan")
        points.append({"update": entry["update"], "loss": round(mean, 4), **scores})
        losses.clear()
    return points
