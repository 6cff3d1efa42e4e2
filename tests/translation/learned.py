"""A tiny model that has really learned the toy language, and must use context to translate it."""

from __future__ import annotations

from pathlib import Path

import pytest

from longways.config import build
from longways.corpus.prepare import prepare
from longways.corpus.recipe import CorpusConfig
from longways.training.config import build_run
from longways.training.loop import Trainer
from tests.training.runs import ALONE, MODEL, QUIET

CORPUS = {
    "source_language": "toy", "target_language": "en", "text": {"vocabulary": 400},
    "train": {"format": "toy", "documents": 400, "seed": 1},
    "dev": {"format": "toy", "documents": 8, "seed": 2},
}  # fmt: skip
RUN = {
    "model": {**MODEL, "preset": "transformer", "dim": 64, "heads": 4, "feed_forward": 128,
              "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0},
    "batches": {"L": 4, "tokens": 1000, "shapes": 4},
    "training": {"updates": 250, "warmup": 60, "evaluate_every": 250, "save_every": 250,
                 "learning_rate": 3e-3},
}  # fmt: skip


def learned_model(folders: pytest.TempPathFactory) -> Path:
    """A model folder after half a minute of training, once for all tests."""
    folder = folders.getbasetemp() / "learned"
    if not folder.exists():
        folder.mkdir()
        _train(folder)
    return folder / "run" / "best"


def _train(folder: Path) -> None:
    data = prepare(build(CorpusConfig, CORPUS, "test"), Path(), folder / "data", QUIET)
    run = folder / "run"
    run.mkdir()
    Trainer(build_run(RUN, data.vocabularies, "test"), data, run, ALONE).run()
