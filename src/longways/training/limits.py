"""Limits of a run that are checked before its first update.

No window exceeds the positions, and epochs that are counted have at least a batch of tokens.
"""

from __future__ import annotations

from longways.corpus.batching.batch import window_lengths
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


def check_epochs(config: RunConfig, train: Curriculum) -> None:
    """Raise if patience counts epochs, and an epoch has fewer tokens than an update."""
    training, last = config.training, train.stages[-1]
    if training.patience_unit != "epochs" or not training.patience:
        return
    tokens = int(window_lengths(last.windows, last.split.target_offsets).sum())
    update = config.batches.tokens * training.accumulate
    if tokens < update or last.batches < training.accumulate:
        raise ConfigError(
            f"training.patience_unit is 'epochs', but an epoch of the train split has {tokens:,} "
            f"target tokens, fewer than an update ({update:,}), so that training would stop after "
            f"about {training.patience} updates. Set training.patience_unit=validations, or fewer "
            "batches.tokens."
        )
