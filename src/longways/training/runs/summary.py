"""What has become of a run, from its folder: for people, and for results that are kept.

Loads without torch.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from longways.training.metric import RISES
from longways.training.runs.log import read_log
from longways.training.runs.run import LOG_FILE, Run, read_run


def summarise(folder: Path) -> dict[str, Any]:
    """How far a run has come, how long it took, its best score, its curve and its settings."""
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
        "skipped updates": sum(not entry["done"] for entry in updates),
        "curve": curve(log),
        "command": run.command,
        "machine": run.machine,
        "config": asdict(run.config),
    }


def _best(run: Run, log: list[dict[str, Any]]) -> dict[str, Any]:
    metric = run.config.training.metric
    looks = [entry for entry in log if f"dev_{metric}" in entry]
    if not looks:
        return {f"best dev {metric}": None, f"last dev {metric}": None, "best update": None}
    choose = max if RISES[metric] else min
    best = choose(looks, key=lambda entry: entry[f"dev_{metric}"])
    return {
        f"best dev {metric}": best[f"dev_{metric}"],
        f"last dev {metric}": looks[-1][f"dev_{metric}"],
        "best update": best["update"],
    }


def curve(log: list[dict[str, Any]]) -> list[dict[str, float]]:
    """At every look: the update, the mean training loss since the last look, and the scores."""
    points, losses = [], list[float]()
    for entry in log:
        if "loss" in entry:
            losses.append(entry["loss"])
            continue
        scores = {name: value for name, value in entry.items() if name.startswith("dev_")}
        if not scores:  # what the run did before its first update
            continue
        mean = sum(losses) / len(losses) if losses else float("nan")
        points.append({"update": entry["update"], "loss": round(mean, 4), **scores})
        losses.clear()
    return points
