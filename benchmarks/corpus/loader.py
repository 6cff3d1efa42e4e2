"""Speed and padding of batches from prepared data, with numpy on one core."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Any

from longways.corpus.batching.sampler import Sampler, SamplerConfig
from longways.corpus.prepared_data import open_data
from longways.results import Report, report


def measure(folder: Path, lengths: tuple[int, ...] = (1, 2, 4), tokens: int = 16_384) -> Report:
    """Measure one epoch of the train split for each L."""
    split = open_data(folder).split("train")
    rows: list[dict[str, Any]] = []
    for L in lengths:
        began = time.perf_counter()
        sampler = Sampler(split, SamplerConfig(L=L, tokens=tokens))
        ready = time.perf_counter()
        batches = [batch.target_tokens for _, batch in islice(sampler.read(), sampler.batches)]
        seconds = time.perf_counter() - ready
        both, target = sampler.padding()
        rows.append(
            {
                "L": L,
                "windows": len(sampler.windows),
                "shapes": len(sampler.shapes),
                "padding": f"{both:.1%}",
                "padding of target": f"{target:.1%}",
                "batches": len(batches),
                "batches a second": round(len(batches) / seconds),
                "target tokens a second": round(sum(batches) / seconds),
                "seconds to plan": round(ready - began, 2),
                "windows shortened": sampler.limits.shortened,
                "sentences too long": sampler.limits.dropped,
            }
        )
    settings = {"tokens": tokens, "data": folder.name, "longest": SamplerConfig().longest}
    return report(
        "loader", "Batches from prepared data, gathered on one core", settings, rows, "cpu"
    )
