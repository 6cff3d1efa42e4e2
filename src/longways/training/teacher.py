"""A teacher: a trained model whose odds of the words a new one learns beside the words themselves.

A word that was not written may be nearly as good, and the teacher knows (Hinton et al. 2015). This
helps most where attention was swapped: the new one learns what the old one would have said.
"""

from __future__ import annotations

from pathlib import Path

import torch

from longways.corpus.prepared_data import PreparedData
from longways.errors import ConfigError
from longways.model.checkpoint import load_model
from longways.model.translation import TranslationModel
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.training.config import RunConfig


def load_teacher(
    config: RunConfig, data: PreparedData, device: torch.device
) -> TranslationModel | None:
    """The teacher of a run, if it names one: it must know the same words, and learns nothing."""
    if not config.training.teacher:
        return None
    folder = Path(config.training.teacher)
    model = load_model(folder)
    if not same_pipeline(folder / TEXT_FOLDER, data.folder / TEXT_FOLDER):
        raise ConfigError(
            f"The teacher {folder} has another vocabulary than {data.folder}, so its words mean "
            "something else. Use a model that was trained on this data."
        )
    return model.to(device).requires_grad_(False)
