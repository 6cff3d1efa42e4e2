"""The toy recipe: the corpus, the model and the training in one small TOML file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from longways.config import apply_overrides, build, read_toml
from longways.corpus.recipe import CorpusConfig
from longways.corpus.toy import SOURCE_WORDS, TARGET_WORDS
from longways.model.config import ModelConfig, expand_preset


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How the toy model learns."""

    updates: int = 400
    """Steps of the optimiser."""
    windows: int = 128
    """Windows an update."""
    learning_rate: float = 2e-3
    """The highest learning rate, reached after the warm-up."""
    warmup: int = 100
    """Updates in which the learning rate rises."""
    weight_decay: float = 1e-4
    """Decoupled weight decay of Adam."""
    redraw_every: int = 1
    """Updates between two draws of the random matrices; 0 keeps the first for ever."""
    seed: int = 1
    """Seed of the first weights and of the order of windows."""


@dataclass(frozen=True, kw_only=True)
class ToyConfig:
    """The whole recipe."""

    L: int = 4
    """Sentences in a window."""
    corpus: CorpusConfig
    training: TrainingConfig
    model: ModelConfig


def read_toy_recipe(path: Path, overrides: Iterable[str] = ()) -> ToyConfig:
    """The recipe in a file or folder; the vocabularies are the words of the task."""
    values = apply_overrides(read_toml(path), overrides)
    sizes = {"source_vocabulary": len(SOURCE_WORDS), "target_vocabulary": len(TARGET_WORDS)}
    model = {**sizes, **expand_preset(values.get("model", {}))}
    return build(ToyConfig, {"training": {}, **values, "model": model}, str(path))
