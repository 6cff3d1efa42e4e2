"""A toy model, trained from scratch on the CPU in about a minute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from longways.corpus.toy import make_documents
from longways.model.translation import TranslationModel
from longways.toy.batch import PAD, ToyCorpus
from longways.toy.config import ToyConfig
from longways.training.loss import window_loss
from longways.training.schedule import inverse_sqrt

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
    settings = config.training
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    model = TranslationModel(config.model).train()
    optimizer = torch.optim.AdamW(
        model.parameters(), betas=(0.9, 0.98), weight_decay=settings.weight_decay
    )
    windows = corpus.training(config.L)
    for update in range(1, settings.updates + 1):
        if settings.redraw_every and update % settings.redraw_every == 0:
            model.redraw(update)
        chosen = torch.from_numpy(rng.integers(len(windows.source), size=settings.windows))
        logits = model(windows.source[chosen], windows.target_in[chosen])
        total, tokens = window_loss(logits, windows.target[chosen], PAD, label_smoothing=0.0)
        loss = total / tokens
        for group in optimizer.param_groups:
            group["lr"] = inverse_sqrt(update, settings.learning_rate, settings.warmup)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if progress:
            progress(update, loss.item())
    return model.eval()
