"""Build the model of a config: a window model or a stream model."""

from __future__ import annotations

from longways.model.config import ModelConfig
from longways.model.stream.model import StreamModel
from longways.model.translation import TranslationModel


def build_model(config: ModelConfig) -> TranslationModel:
    """A model with random weights."""
    return StreamModel(config) if config.is_stream else TranslationModel(config)
