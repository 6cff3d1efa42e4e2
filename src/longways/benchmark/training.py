"""Training speed on prepared data, in target tokens per second without padding."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from longways.config import apply_overrides, build, check_keys, setting_keys
from longways.corpus.batching.sampler import Sampler, SamplerConfig
from longways.corpus.prepared_data import PreparedData, open_data
from longways.model.build import build_model
from longways.model.config import preset
from longways.results import Report, report
from longways.training.config import TrainingConfig
from longways.training.device.device_data import DeviceSplit
from longways.training.device.distributed import Distributed
from longways.training.update import Updater

MODELS = (
    ("transformer", 1),
    ("transformer", 4),
    ("rfa", 4),
    ("rfa-sgate", 4),
    ("rfa-sgate-avg", 4),
    ("hybrid", 4),
)
Settings = Sequence[str]


def measure(
    folder: Path, device: str, updates: int = 100, tokens: int = 16_384, settings: Settings = ()
) -> Report:
    """Measure the paper's models one after the other on the same batches."""
    data = open_data(folder)
    values = apply_overrides({"training": {"precision": "bfloat16", "warmup": 1000}}, settings)
    check_keys(values, {"training": [*setting_keys(TrainingConfig, "training")]}, "--set")
    config = build(TrainingConfig, values["training"], "--set", "training.")
    rows = [_row(data, name, L, device, updates, tokens, config) for name, L in MODELS]
    facts = {"data": folder.name, "tokens": tokens, "updates": updates, **asdict(config)}
    return report("training", "Training speed by model", facts, rows, device)


def _row(
    data: PreparedData,
    name: str,
    L: int,
    device: str,
    updates: int,
    tokens: int,
    config: TrainingConfig,
) -> dict[str, Any]:
    source, target = data.vocabularies
    ranks = Distributed(0, 1, torch.device(device))
    torch.manual_seed(config.seed)
    model = build_model(preset(name, source_vocabulary=source, target_vocabulary=target))
    updater = Updater(model.to(ranks.device).train(), config, ranks)
    sampler = Sampler(data.split("train"), SamplerConfig(L=L, tokens=tokens))
    split = DeviceSplit(sampler.split, ranks.device)
    prepared = _warm_up(updater, sampler, split)
    batches = ((number, split.batch(w, shape)) for number, shape, w in sampler.plan())
    began = time.perf_counter()
    for number in range(1, updates + 1):
        updater.update(number, islice(batches, 1))
    outcomes = updater.read()
    seconds = time.perf_counter() - began
    return {
        "model": name,
        "L": L,
        "parameters": model.parameters_count,
        "ms an update": round(1e3 * seconds / updates, 1),
        "updates a second": round(updates / seconds, 1),
        "target tokens a second": round(sum(update.tokens for update in outcomes) / seconds),
        "peak MB": torch.cuda.max_memory_allocated() >> 20 if device == "cuda" else None,
        "seconds to prepare": round(prepared, 1),
        "loss at the end": round(outcomes[-1].loss, 3),
    }


def _warm_up(updater: Updater, sampler: Sampler, split: DeviceSplit) -> float:
    """Train on every shape twice, so that all is compiled and captured; return the seconds."""
    began = time.perf_counter()
    if split.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    for shape, group in zip(sampler.shapes, sampler.groups, strict=True):
        batch = split.batch(sampler.windows[group[: shape.rows]], shape)
        for number in (1, 2):
            updater.update(number, [(number, batch)])
    updater.read()
    return time.perf_counter() - began
