"""Distillation: a trained model is the teacher of a new one (Hinton et al. 2015).

The new model learns the teacher's output distribution beside the target tokens. This helps most
if the new model starts from the teacher's weights with another kind of attention.
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
    """Load the teacher of a run with frozen weights, or None; its vocabulary must be the same."""
    if not config.training.teacher:
        return None
    folder = Path(config.training.teacher)
    model = load_model(folder)
    if not same_pipeline(folder / TEXT_FOLDER, data.folder / TEXT_FOLDER):
        raise ConfigError(
            f"The teacher {folder} has another vocabulary than {data.folder}. Use a model that was "
            "trained on this data."
        )
    return model.to(device).requires_grad_(False)
