"""The toy recipe: the task, the model and the training in one small TOML file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from longways.config import apply_overrides, build, read_toml
from longways.model.config import ModelConfig, expand_preset
from longways.toy.task import SOURCE_WORDS, TARGET_WORDS


@dataclass(frozen=True, kw_only=True)
class TaskConfig:
    """How much there is to read."""

    documents: int = 600
    """Documents to train on."""
    test_documents: int = 50
    """Documents kept apart, on which the model is judged."""
    rounds: int = 4
    """Names introduced in a document, each with its pronoun two sentences later."""


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
    """Seed of the documents, the first weights and the order of windows."""


@dataclass(frozen=True, kw_only=True)
class ToyConfig:
    """The whole recipe."""

    L: int = 4
    """Sentences in a window."""
    task: TaskConfig
    training: TrainingConfig
    model: ModelConfig


def read_toy_recipe(path: Path, overrides: Iterable[str] = ()) -> ToyConfig:
    """The recipe in a file or folder; the vocabularies are those of the task."""
    values = apply_overrides(read_toml(path), overrides)
    sizes = {"source_vocabulary": len(SOURCE_WORDS), "target_vocabulary": len(TARGET_WORDS)}
    model = {**sizes, **expand_preset(values.get("model", {}))}
    tables = {"task": {}, "training": {}, **values, "model": model}
    return build(ToyConfig, tables, str(path))
