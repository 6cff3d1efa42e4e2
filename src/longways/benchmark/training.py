"""How fast models train on prepared data: real target tokens a second, padding not counted."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from longways.benchmark.report import Report, report
from longways.benchmark.timing import synchronize
from longways.corpus.sampler import Sampler, SamplerConfig
from longways.corpus.store import PreparedData, open_data
from longways.model.config import preset
from longways.model.translation import TranslationModel
from longways.training.config import TrainingConfig
from longways.training.ranks import Ranks
from longways.training.resident import ResidentSplit
from longways.training.update import make_optimizer, train_update

MODELS = (
    ("transformer", 1),
    ("transformer", 4),
    ("rfa", 4),
    ("rfa-sgate", 4),
    ("rfa-sgate-avg", 4),
    ("hybrid", 4),
)
WARM_UP = 30


def measure(folder: Path, device: str, updates: int = 100, tokens: int = 16_384) -> Report:
    """The paper's models, one after the other, each on the same stream of batches."""
    data = open_data(folder)
    rows = [_row(data, name, L, device, updates, tokens) for name, L in MODELS]
    settings = {"data": folder.name, "tokens": tokens, "updates": updates, "precision": "bfloat16"}
    return report("training", "Training speed by model", settings, rows, device)


def _row(
    data: PreparedData, name: str, L: int, device: str, updates: int, tokens: int
) -> dict[str, Any]:
    source, target = data.vocabularies
    config = TrainingConfig(precision="bfloat16", warmup=1000)
    ranks = Ranks(0, 1, torch.device(device))
    torch.manual_seed(config.seed)
    model = TranslationModel(preset(name, source_vocabulary=source, target_vocabulary=target))
    model = model.to(ranks.device).train()
    optimizer = make_optimizer(model, config)
    sampler = Sampler(data.split("train"), SamplerConfig(L=L, tokens=tokens))
    split = ResidentSplit(sampler.split, ranks.device)
    batches = ((number, split.batch(w, shape)) for number, shape, w in sampler.plan())
    for number in range(1, WARM_UP + 1):
        train_update(model, optimizer, config, number, islice(batches, 1), ranks)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    synchronize(device)
    began, seen, loss = time.perf_counter(), 0, 0.0
    for number in range(WARM_UP + 1, WARM_UP + updates + 1):
        update = train_update(model, optimizer, config, number, islice(batches, 1), ranks)
        seen, loss = seen + update.tokens, update.loss
    synchronize(device)
    seconds = time.perf_counter() - began
    return {
        "model": name,
        "L": L,
        "parameters": model.parameters_count,
        "ms an update": round(1e3 * seconds / updates, 1),
        "target tokens a second": round(seen / seconds),
        "peak MB": torch.cuda.max_memory_allocated() >> 20 if device == "cuda" else None,
        "loss at the end": round(loss, 3),
    }
