"""Limits of a run that are checked before its first update: no window exceeds the positions."""

from __future__ import annotations

from longways.corpus.batching.curriculum import Curriculum
from longways.errors import ConfigError
from longways.training.config import RunConfig
from longways.training.dev_loss import DevLoss


def check_windows_fit(config: RunConfig, train: Curriculum, dev: DevLoss) -> None:
    """Raise if a batch of either split is longer than the positions, padding included."""
    batches = [shape for stage in train.stages for shape in stage.shapes]
    longest = {
        "train": max(max(shape.source, shape.target) for shape in batches),
        "dev": max((max(shape.source, shape.target) for _, shape in dev.batches), default=0),
    }
    positions, multiple = config.model.positions, config.batches.multiple
    for split, tokens in longest.items():
        if tokens > positions:
            fits = max(positions // multiple * multiple, 1)
            raise ConfigError(
                f"The longest window of the {split} split has {tokens} tokens, padding included, "
                f"but the model has {positions} positions. Set batches.longest={fits}, so that "
                "longer windows lose their earliest sentences, or raise model.positions."
            )
