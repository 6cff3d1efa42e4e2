"""The consistency figure: accuracy over L, a panel for each phenomenon, a line for each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from longways.plotting import check_picture, open_pyplot, save_picture

SIGMAS = 1.96
"""Standard errors on either side of an accuracy that 95 of 100 measurements are within."""


def plot_consistency(rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Draw rows as `consistency_models.answer` gives them; guessing is a dashed line.

    A band is what chance alone would do with so many items, in 95 of 100 cases.
    """
    check_picture(out)
    sets = list(dict.fromkeys(row["set"] for row in rows))
    size = (3.6 * len(sets) + 1.2, 3.4)
    figure, axes = open_pyplot().subplots(
        1, len(sets), figsize=size, layout="constrained", squeeze=False
    )
    for name, place in zip(sets, axes[0], strict=True):
        _draw_set([row for row in rows if row["set"] == name], place)
        place.set(title=name.replace("_", " "), xlabel="L")
    axes[0][0].set_ylabel("accuracy")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    save_picture(figure, out)


def _draw_set(rows: list[dict[str, Any]], place: Any) -> None:
    for model in dict.fromkeys(row["model"] for row in rows):
        own = sorted(
            (row["L"], row["accuracy"], chance(row)) for row in rows if row["model"] == model
        )
        L, accuracy, around = (np.array(column) for column in zip(*own, strict=True))
        place.plot(L, accuracy, marker="o", label=model)
        place.fill_between(L, accuracy - around, accuracy + around, alpha=0.15)
    place.axhline(rows[0]["guessing"], color="grey", linestyle="--", label="guessing")
    place.set_xticks(range(1, max(row["L"] for row in rows) + 1))
    place.grid(alpha=0.3)


def chance(row: dict[str, Any]) -> float:
    """Half of the 95% interval of an accuracy, from the normal distribution."""
    accuracy, items = row["accuracy"], row["items"]
    return SIGMAS * math.sqrt(accuracy * (1 - accuracy) / items)
