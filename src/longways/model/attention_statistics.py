"""Statistics of a model's RFA attention on one batch: instruments for training.

B windows, H heads, N source tokens, T target tokens.

    tau              the temperature of the feature map, where it has one
    gate             f at the separators, the share of the past that is kept
    under floor      the share of reads whose norm is under its floor
    effective keys   (sum |w|)^2 / sum w^2 of the weights of a read

Each is a mean over heads and tokens, for one layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from longways.attention.layers import CausalRFA, CrossRFA
from longways.attention.observed import Observed
from longways.attention.stream.causal import StreamCausal
from longways.attention.stream.cross import StreamCross
from longways.attention.stream.memory import WindowMemory
from longways.model.decoder import LayerTrace
from longways.model.translation import TranslationModel

Statistics = dict[str, list[float]]
"""A value for each decoder layer, by names such as `cross effective keys`."""


class _Batch(NamedTuple):
    source: Tensor  # (B, N)
    target_in: Tensor  # (B, T)
    encoded: Tensor  # (B, N, d)
    pad: int
    sep: int


def attention_statistics(model: TranslationModel, source: Tensor, target_in: Tensor) -> Statistics:
    """The statistics of all RFA attention of a model; empty if it has none."""
    was_training, found = model.training, Statistics()
    model.eval()
    with torch.no_grad(), torch.compiler.set_stance("force_eager"):
        for name, value in _values(model, source, target_in):
            found.setdefault(name, []).append(round(value, 4))
    model.train(was_training)
    return found


def _values(
    model: TranslationModel, source: Tensor, target_in: Tensor
) -> Iterator[tuple[str, float]]:
    pad, sep = model.config.pad, model.config.sep
    encoded = model.encoder(source, source != pad)
    batch, separators = _Batch(source, target_in, encoded, pad, sep), target_in == sep
    memory = model.remember(encoded, source)
    seen = model.decoder.seen_from(memory, separators).layers
    for trace, known in zip(model.decoder.trace(target_in, memory), seen, strict=True):
        causal = _observed_causal(trace, separators)
        if causal:
            yield from _means("causal", causal, target_in != pad, separators)
        cross = _observed_cross(trace, batch, known)
        if cross:
            yield from _means("cross", cross, target_in != pad, source == sep)


def _observed_causal(trace: LayerTrace, separators: Tensor) -> Observed | None:
    x = trace.layer.causal_residual.enter(trace.before)
    match trace.layer.causal:
        case CausalRFA() as attention:
            return attention.observe(x, separators, trace.W.causal)
        case StreamCausal() as attention:
            return attention.observe(x, separators)
    return None


def _observed_cross(trace: LayerTrace, batch: _Batch, memory: object) -> Observed | None:
    x = trace.layer.cross_residual.enter(trace.between)
    match trace.layer.cross, memory:
        case CrossRFA() as attention, _:
            mask, separators = batch.source != batch.pad, batch.source == batch.sep
            return attention.observe(x, batch.encoded, mask, trace.W.cross, separators)
        case StreamCross() as attention, WindowMemory() as window:
            return attention.observe(x, batch.encoded, window)
    return None


def _means(
    name: str, observed: Observed, real: Tensor, separators: Tensor
) -> Iterator[tuple[str, float]]:
    """The statistics of one layer; `real` (B, T) marks queries, `separators` (B, N) gates."""
    if observed.tau is not None:
        yield f"{name} tau", float(observed.tau.mean())
    if observed.gates is not None and separators.any():
        yield f"{name} gate", float(observed.gates.transpose(1, 2)[separators].mean())
    under, keys = observed.under_floor(), observed.effective_keys()
    yield f"{name} under floor", float(under.transpose(1, 2)[real].float().mean())
    yield f"{name} effective keys", float(keys.transpose(1, 2)[real].mean())
