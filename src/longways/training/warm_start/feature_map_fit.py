"""Fit feature maps to the softmax attention of another model before the first training update.

A model that starts from a softmax model has its projections, but a new phi. A few hundred updates
of phi alone bring its attention close to softmax (attention transfer: Hedgehog, Zhang et al. 2024).
All processes use the same batches and the same weights, so they get the same feature maps. A batch
is determined by its number, so training sees the same batches with or without fitting.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from longways.attention.features import FeatureMap
from longways.attention.layers import CausalRFA, CrossRFA
from longways.corpus.batching.sampler import Sampler
from longways.corpus.prepared_data import PreparedData
from longways.errors import ConfigError
from longways.model.checkpoint import load_model
from longways.model.config import ModelConfig
from longways.model.manifest import read_manifest
from longways.model.translation import TranslationModel
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.text.tokenizers.special_tokens import PAD
from longways.training.config import RunConfig
from longways.training.device.device_data import DeviceSplit, TensorBatch
from longways.training.device.mixed_precision import MixedPrecision
from longways.training.warm_start.feature_map_error import (
    causal_distance,
    cross_distance,
    queries_and_keys,
)

LEARNING_RATE, LAST_RATE_SHARE = 1e-2, 0.05
"""The learning rate of the first update, and the share of it in the last update."""

MAX_BATCH_WINDOWS = 64
"""Windows used of each batch; the attention weights of all heads are in memory at once."""

MEASURED_BATCHES = 4
"""Batches on which the distance is measured before and after fitting."""

EQUAL_SETTINGS = ("dim", "heads", "decoder_layers", "norm")
"""Settings that must be equal in both models, so that each attention has its counterpart."""


@dataclass(frozen=True)
class Fit:
    """The result of fitting."""

    updates: int
    first: float
    """The distance from softmax before fitting, mean over layers."""
    last: float
    """The distance after fitting."""
    seconds: float

    def describe(self) -> str:
        """A message for users."""
        return (
            f"Feature maps fitted to softmax in {self.updates} updates and {self.seconds:.0f} s: "
            f"distance {self.first:.3f} -> {self.last:.3f}."
        )


def load_softmax(
    config: RunConfig, data: PreparedData, device: torch.device
) -> TranslationModel | None:
    """Load the model for fitting with frozen weights, or None if training.fit_maps is 0."""
    settings = config.training
    if not settings.fit_maps:
        return None
    if not settings.init_from:
        raise ConfigError(
            f"training.fit_maps is {settings.fit_maps}, but training.init_from names no model "
            "whose attention the feature maps could be fitted to. Name one with --init-from."
        )
    folder = Path(settings.init_from)
    theirs = read_manifest(folder).model
    _check_kinds(config.model, theirs, folder)
    _check_sizes(config.model, theirs, folder)
    if not same_pipeline(folder / TEXT_FOLDER, data.folder / TEXT_FOLDER):
        raise ConfigError(
            f"training.fit_maps needs {folder} to read {data.folder}, but it has another "
            "vocabulary. Use a model that was trained on this data, or set training.fit_maps=0."
        )
    return load_model(folder).to(device).requires_grad_(False)


def _check_kinds(ours: ModelConfig, theirs: ModelConfig, folder: Path) -> None:
    """Raise an error unless our model has RFA attention where the other has softmax."""
    kinds = {"causal": (ours.causal, theirs.causal), "cross": (ours.cross, theirs.cross)}
    swapped = {name: there.kind for name, (here, there) in kinds.items() if here.kind == "rfa"}
    if not swapped:
        raise ConfigError(
            "training.fit_maps is set, but all attention of this model is softmax, which has no "
            "feature maps. Set training.fit_maps=0, or model.preset to an RFA model."
        )
    for name, kind in swapped.items():
        if kind != "softmax":
            raise ConfigError(
                f"training.fit_maps needs a model with softmax {name} attention to start from, "
                f"but {folder} has {kind}. Start from a transformer."
            )


def _check_sizes(ours: ModelConfig, theirs: ModelConfig, folder: Path) -> None:
    """Raise an error if queries and keys have other sizes in the other model."""
    if not theirs.is_plain_transformer and ours.cross.kind == "rfa":
        raise ConfigError(
            f"training.fit_maps needs a model with cross keys for every head and token to start "
            f"from, but {folder} has fewer. Set training.fit_maps=0."
        )
    for name in EQUAL_SETTINGS:
        here, there = getattr(ours, name), getattr(theirs, name)
        if here != there:
            raise ConfigError(
                f"training.fit_maps needs the same {name} in both models, but {folder} has "
                f"{there} and this one {here}. Set model.{name}={there}, or training.fit_maps=0."
            )


@dataclass(frozen=True)
class FitBatches:
    """The first batches of training, cut to some windows; the same in every process."""

    sampler: Sampler
    split: DeviceSplit
    windows: int = MAX_BATCH_WINDOWS

    def first(self, count: int) -> Iterator[TensorBatch]:
        """The first `count` batches."""
        for number in range(count):
            shape, windows = self.sampler.at(number)
            shape = replace(shape, rows=min(self.windows, shape.rows))
            yield self.split.batch(windows[: self.windows], shape)


def fit_maps(
    model: TranslationModel,
    softmax: TranslationModel,
    updates: int,
    batches: FitBatches,
    precision: MixedPrecision,
    advance: Callable[[], None] = lambda: None,
) -> Fit:
    """Fit phi of every RFA attention of a model; `advance` is called after each update.

    The host waits for the device only at the end.
    """
    began, before = time.perf_counter(), _measure(model, softmax, batches, precision)
    optimizer = torch.optim.Adam(_map_parameters(model), lr=LEARNING_RATE, fused=True)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, LAST_RATE_SHARE, updates)
    for batch in batches.first(updates):
        for distance in _distances(model, softmax, batch, precision):
            distance.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)  # training adds its gradients to these tensors
        schedule.step()
        advance()
    after = _measure(model, softmax, batches, precision)
    return Fit(updates, before.item(), after.item(), time.perf_counter() - began)


@torch.no_grad()
def _measure(
    model: TranslationModel,
    softmax: TranslationModel,
    batches: FitBatches,
    precision: MixedPrecision,
) -> Tensor:
    """The mean distance of all layers, always on the same batches, so that values compare."""
    found = [
        distance
        for batch in batches.first(MEASURED_BATCHES)
        for distance in _distances(model, softmax, batch, precision)
    ]
    return torch.stack(found).mean()


def _distances(
    model: TranslationModel,
    softmax: TranslationModel,
    batch: TensorBatch,
    precision: MixedPrecision,
) -> Iterator[Tensor]:
    """The distance of each RFA attention, computed one at a time because each needs much memory."""
    with precision.autocast():
        layers = queries_and_keys(softmax, batch.source, batch.target_in)
    mask, real = batch.source != PAD, batch.target != PAD
    for (layer, W), (causal, cross) in zip(model.decoder.with_matrices(), layers, strict=True):
        if isinstance(layer.causal, CausalRFA):
            yield causal_distance(layer.causal.phi, W.causal, causal, real)
        if isinstance(layer.cross, CrossRFA):
            yield cross_distance(layer.cross.phi, W.cross, cross, mask, real)


def _map_parameters(model: TranslationModel) -> list[Tensor]:
    maps = (module for module in model.modules() if isinstance(module, FeatureMap))
    return [parameter for phi in maps for parameter in phi.parameters()]
