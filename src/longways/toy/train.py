"""A toy model, trained from scratch on the CPU in about a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice

import numpy as np
import torch

from longways.corpus.toy import make_documents
from longways.model.translation import TranslationModel
from longways.toy.batch import Batch, ToyCorpus
from longways.toy.config import ToyConfig
from longways.training.ranks import Ranks
from longways.training.resident import TensorBatch
from longways.training.update import Updater

WINDOWS = 128
"""Windows an update."""

Progress = Callable[[int, float], None]
"""Called after every update with its number and loss."""


def corpora(config: ToyConfig) -> tuple[ToyCorpus, ToyCorpus]:
    """The documents to learn from, and others to be judged on."""
    train, test = (
        ToyCorpus(make_documents(files.documents, files.seed))
        for files in (config.corpus.train, config.corpus.test)
    )
    return train, test


def train(
    config: ToyConfig, corpus: ToyCorpus, progress: Progress | None = None
) -> TranslationModel:
    """A model trained on windows of L sentences. The same config gives the same weights."""
    settings = config.run.training
    torch.manual_seed(settings.seed)
    model = TranslationModel(config.run.model).train()
    updater = Updater(model, settings, Ranks(0, 1, torch.device("cpu")))
    batches = _batches(corpus.training(config.L), settings.seed)
    for number in range(1, settings.updates + 1):
        updater.update(number, islice(batches, 1))
        (update,) = updater.read()
        if progress:
            progress(number, update.loss)
    return model.eval()


def _batches(windows: Batch, seed: int) -> Iterator[tuple[int, TensorBatch]]:
    """Random windows, numbered, without end."""
    rng = np.random.default_rng(seed)
    for number in count():
        chosen = torch.from_numpy(rng.integers(len(windows.source), size=WINDOWS))
        yield number, TensorBatch(*(side[chosen] for side in windows))
