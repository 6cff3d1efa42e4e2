"""The consistency figure: accuracy over L, a panel for each phenomenon, a line for each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from longways.plotting import check_picture, open_pyplot, save_picture

INTERVAL_SIGMAS = 1.96
"""Half the width of a 95% confidence interval, in standard errors."""


def plot_consistency(rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Draw the rows of `run_consistency`, with 95% confidence bands; guessing is a dashed line."""
    check_picture(out)
    sets = list(dict.fromkeys(row["set"] for row in rows))
    size = (3.6 * len(sets) + 1.2, 3.4)
    figure, axes = open_pyplot().subplots(
        1, len(sets), figsize=size, layout="constrained", squeeze=False
    )
    for name, panel in zip(sets, axes[0], strict=True):
        _draw_set([row for row in rows if row["set"] == name], panel)
        panel.set(title=name.replace("_", " "), xlabel="L")
    axes[0][0].set_ylabel("accuracy")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    save_picture(figure, out)


def _draw_set(rows: list[dict[str, Any]], panel: Any) -> None:
    for model in dict.fromkeys(row["model"] for row in rows):
        own = sorted(
            (row["L"], row["accuracy"], half_interval(row)) for row in rows if row["model"] == model
        )
        L, accuracy, half = (np.array(column) for column in zip(*own, strict=True))
        panel.plot(L, accuracy, marker="o", label=model)
        panel.fill_between(L, accuracy - half, accuracy + half, alpha=0.15)
    panel.axhline(rows[0]["guessing"], color="grey", linestyle="--", label="guessing")
    panel.set_xticks(range(1, max(row["L"] for row in rows) + 1))
    panel.grid(alpha=0.3)


def half_interval(row: dict[str, Any]) -> float:
    """Half the width of an accuracy's 95% confidence interval (normal approximation)."""
    accuracy, items = row["accuracy"], row["items"]
    return INTERVAL_SIGMAS * math.sqrt(accuracy * (1 - accuracy) / items)
