"""The consistency figure: accuracy over L, a panel for each phenomenon, a line for each model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longways.picture import check_picture, open_pyplot, save_picture


def plot_consistency(rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Draw rows as `consistency_models.answer` gives them; guessing is a dashed line."""
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
        own = sorted((row["L"], row["accuracy"]) for row in rows if row["model"] == model)
        place.plot(*zip(*own, strict=True), marker="o", label=model)
    place.axhline(rows[0]["guessing"], color="grey", linestyle="--", label="guessing")
    place.set_xticks(range(1, max(row["L"] for row in rows) + 1))
    place.grid(alpha=0.3)
