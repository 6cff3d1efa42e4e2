"""A toy model, trained from scratch on the CPU in about a minute."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import torch

from longways.corpus.batching.curriculum import Curriculum
from longways.corpus.readers.toy import make_documents
from longways.model.translation import TranslationModel
from longways.toy.config import ToyConfig
from longways.toy.corpus import ToyCorpus
from longways.training.device.device_data import DeviceSplit
from longways.training.device.distributed import Distributed
from longways.training.update import Updater

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
    settings, alone = config.run.training, Distributed(0, 1, torch.device("cpu"))
    torch.manual_seed(settings.seed)
    model = TranslationModel(config.run.model).train()
    updater = Updater(model, settings, alone)
    split = DeviceSplit(corpus.split(), alone.device)
    plan = Curriculum(split.split, config.run.batches).plan()
    batches = ((number, split.batch(windows, shape)) for number, shape, windows in plan)
    for number in range(1, settings.updates + 1):
        updater.update(number, islice(batches, settings.accumulate))
        (update,) = updater.read()
        if progress:
            progress(number, update.loss)
    return model.eval()
