"""One update: batches in, a better model out, the same for one rank and for many.

An update has a fixed number of batches, wherever they are computed. Losses are summed, gradients
are summed over batches and ranks, and both are divided once by the number of target tokens; dropout
is seeded by the number of the batch. So ranks change how fast an update is, not what it does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from longways.model.translation import TranslationModel
from longways.text.special import PAD
from longways.training.config import TrainingConfig
from longways.training.loss import window_loss
from longways.training.ranks import Ranks
from longways.training.resident import TensorBatch
from longways.training.schedule import inverse_sqrt


class Update(NamedTuple):
    """What an update came to."""

    loss: float
    """Mean loss of a target token, smoothing included."""
    tokens: int
    """Target tokens, of all ranks."""
    norm: float
    """Length of the gradient before clipping."""
    done: bool
    """False if the gradient was not finite, and the model was left as it is."""


def make_optimizer(model: TranslationModel, config: TrainingConfig) -> torch.optim.Optimizer:
    """Adam with decoupled weight decay, fused into one step where the device can."""
    first, second = config.betas
    device = next(model.parameters()).device.type
    return torch.optim.AdamW(
        model.parameters(),
        lr=config.learning_rate,
        betas=(first, second),
        weight_decay=config.weight_decay,
        fused=device == "cuda",
    )


def train_update(
    model: TranslationModel,
    optimizer: torch.optim.Optimizer,
    config: TrainingConfig,
    update: int,
    batches: Iterator[tuple[int, TensorBatch]],
    ranks: Ranks,
) -> Update:
    """Do update number `update` (1, 2, ...) with this rank's share of its batches."""
    if config.redraw_every and (update - 1) % config.redraw_every == 0:
        model.redraw(update)
    optimizer.zero_grad()
    total, tokens = _accumulate(model, config, batches, ranks)
    ranks.sum(total, tokens)
    ranks.sum_gradients(model.parameters())
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    torch._foreach_div_(gradients, tokens)
    norm = torch.nn.utils.get_total_norm(gradients)
    loss, count, length = float(total / tokens), int(tokens), float(norm)
    done = math.isfinite(length)
    if done:
        if config.clip:
            torch.nn.utils.clip_grads_with_norm_(model.parameters(), config.clip, norm)
        for group in optimizer.param_groups:
            group["lr"] = inverse_sqrt(update, config.learning_rate, config.warmup)
        optimizer.step()
    return Update(loss, count, length, done)


def _accumulate(
    model: TranslationModel,
    config: TrainingConfig,
    batches: Iterator[tuple[int, TensorBatch]],
    ranks: Ranks,
) -> tuple[Tensor, Tensor]:
    """Forward and backward over this rank's batches; the summed loss and the tokens."""
    total = torch.zeros((), device=ranks.device)
    tokens = torch.zeros((), device=ranks.device)
    autocast = config.precision == "bfloat16"
    for number, batch in batches:
        torch.manual_seed(batch_seed(config.seed, number))
        with torch.autocast(ranks.device.type, torch.bfloat16, enabled=autocast):
            logits = model(batch.source, batch.target_in)
        loss, count = window_loss(logits, batch.target, PAD, config.label_smoothing)
        loss.backward()
        total += loss.detach()
        tokens += count
    return total, tokens


def batch_seed(seed: int, number: int) -> int:
    """A seed for the dropout of one batch; no two batches of a run share one."""
    return (seed << 40) + number
