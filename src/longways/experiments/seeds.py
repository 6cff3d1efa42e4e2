"""Group models that differ only in their seeds: one system, measured several times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from longways.experiments.config import Study, StudyModel

SEEDS = ("training.seed", "model.seed", "batches.seed")
"""Settings that select a random seed."""

AVERAGED_COLUMNS = ("document BLEU", "sentence BLEU", "chrF", "loss", "dev loss", "dev bleu")

Groups = dict[str, list[str]]
"""The names of the models of each system, by the name of the first."""

Row = dict[str, Any]


def seed_groups(study: Study) -> Groups:
    """The systems of a study: models with the same settings except for seeds.

    Models that start from different models of one system can be one system as well.
    """
    groups: dict[tuple[object, ...], list[str]] = {}
    keys: dict[str, tuple[object, ...]] = {}
    for model in study.models:
        keys[model.name] = _system_key(model, keys)
        groups.setdefault(keys[model.name], []).append(model.name)
    return {names[0]: names for names in groups.values()}


def _system_key(model: StudyModel, keys: dict[str, tuple[object, ...]]) -> tuple[object, ...]:
    settings = dict(setting.split("=", 1) for setting in model.settings)
    own = sorted((key, value) for key, value in settings.items() if key not in SEEDS)
    others = (keys[name] if name else None for name in (model.init_from, model.teacher))
    return tuple(own), *others


def seed_rows(rows: Sequence[Row], groups: Groups) -> list[Row]:
    """A row with mean and spread for every system with more than one seed."""
    found = []
    for name, models in groups.items():
        own = [row for row in rows if row["model"] in models]
        if len(own) > 1:
            measured = [
                key for key in AVERAGED_COLUMNS if all(row.get(key) is not None for row in own)
            ]
            values = {key: mean_and_spread([row[key] for row in own]) for key in measured}
            seeds = sorted(row["seed"] for row in own)
            found.append({"model": name, "L": own[0]["L"], "seeds": seeds, **_columns(values)})
    return found


def _columns(values: dict[str, tuple[float, float]]) -> Row:
    columns: Row = {}
    for key, (mean, spread) in values.items():
        columns |= {key: round(mean, 4), f"{key} spread": round(spread, 4)}
    return columns


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """The mean and the sample standard deviation, which is 0 for a single value."""
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else 0.0


def merge_consistency(rows: Sequence[Row], groups: Groups) -> list[Row]:
    """Rows of `longways consistency`, averaged over the models of each system."""
    merged = []
    for name, models in groups.items():
        own = [row for row in rows if row["model"] in models]
        for key in dict.fromkeys((row["set"], row["L"]) for row in own):
            same = [row for row in own if (row["set"], row["L"]) == key]
            merged.append({**same[0], "model": name, **_averages(same), "seeds": len(same)})
    return merged


def _averages(same: Sequence[Row]) -> Row:
    """The columns that differ between seeds."""
    mean, spread = mean_and_spread([row["accuracy"] for row in same])
    near = {
        distance: round(mean_and_spread([row["by distance"][distance] for row in same])[0], 4)
        for distance in same[0]["by distance"]
    }
    ties, _ = mean_and_spread([row["ties"] for row in same])
    measured = {"accuracy": round(mean, 4), "spread": round(spread, 4), "ties": round(ties, 1)}
    return {**measured, "by distance": near}
