"""Tiny runs on the made-up corpus."""

from __future__ import annotations

from pathlib import Path

import torch

from longways.config import build
from longways.corpus.prepare import Reporter, prepare
from longways.corpus.prepared_data import PreparedData
from longways.corpus.recipe import CorpusConfig
from longways.training.config import RunConfig, build_run
from longways.training.device.distributed import Distributed
from longways.training.loop import Trainer

ALONE = Distributed(0, 1, torch.device("cpu"))
QUIET = Reporter(lambda *_: None, lambda _: None)

MODEL = {
    "preset": "rfa-sgate", "dim": 16, "heads": 2, "feed_forward": 32, "encoder_layers": 1,
    "decoder_layers": 1, "dropout": 0.1, "positions": 128, "pool": 8,
    "cross": {"projection": 8}, "causal": {"projection": 4},
}  # fmt: skip


def prepare_toy(folder: Path, seed: int = 1) -> PreparedData:
    values = {
        "source_language": "toy", "target_language": "en", "text": {"vocabulary": 400},
        "train": {"format": "toy", "documents": 12, "seed": seed},
        "dev": {"format": "toy", "documents": 3, "seed": 2},
    }  # fmt: skip
    return prepare(build(CorpusConfig, values, "test"), Path(), folder, QUIET)


def tiny_run(
    data: PreparedData, model: dict[str, object] | None = None, **training: object
) -> RunConfig:
    settings = {"updates": 12, "warmup": 4, "evaluate_every": 4, "save_every": 3, **training}
    tables = {
        "model": {**MODEL, **(model or {})},
        "batches": {"L": 4, "tokens": 400, "shapes": 4},
        "training": settings,
    }
    return build_run(tables, data.vocabularies, "test")


def train_tiny(folder: Path, updates: int, **model: object) -> Path:
    """The model folder of a tiny run, with its data beside it in `folder`."""
    data = prepare_toy(folder / "data")
    (folder / "run").mkdir()
    Trainer(tiny_run(data, model, updates=updates), data, folder / "run", ALONE).run()
    return folder / "run" / "best"
