"""One optimiser update, with the same result for one process and for several.

An update has a fixed number of batches, whichever process computes them. Losses and gradients are
summed over batches and processes, and divided once by the number of target tokens; dropout is
seeded by the number of the batch. The number of processes changes only the speed of an update.

The host never waits for the device during an update; losses are read later, for many updates at a
time. On a GPU the gradient of a batch and the optimiser step are each replayed as a CUDA graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from longways.model.translation import TranslationModel
from longways.text.tokenizers.special_tokens import PAD
from longways.training.config import TrainingConfig
from longways.training.device.compile import compile_layers
from longways.training.device.cuda_graphs import CapturedFunction
from longways.training.device.device_data import TensorBatch
from longways.training.device.distributed import Distributed
from longways.training.device.mixed_precision import MixedPrecision
from longways.training.loss import window_loss
from longways.training.schedule import learning_rate


class Update(NamedTuple):
    """The loss and gradient norm of an update."""

    loss: float
    """Mean loss per target token, label smoothing included."""
    tokens: int
    """Target tokens, over all processes."""
    norm: float
    """Norm of the gradient before clipping."""
    done: bool
    """False if the update was skipped because its gradient was not finite."""


class Updater:
    """Applies optimiser updates to a model."""

    def __init__(
        self,
        model: TranslationModel,
        config: TrainingConfig,
        ranks: Distributed,
        teacher: TranslationModel | None = None,
    ) -> None:
        self.model, self.config, self.ranks, self.teacher = model, config, ranks, teacher
        self.optimizer = make_optimizer(model, config)
        self.precision = MixedPrecision(config.precision, ranks.device)
        self._loss: Callable[..., tuple[Tensor, Tensor]] = window_loss
        self._gradient: Callable[..., None] = self._add_gradient
        self._finish: Callable[[], None] = self._step
        if ranks.device.type == "cuda" and config.compile:
            self._loss = compile_layers(model)
            if teacher is not None:
                compile_layers(teacher)
        if ranks.device.type == "cuda" and config.graphs:
            self._gradient = CapturedFunction(self._add_gradient)
            self._finish = CapturedFunction(self._step)
        self._total, self._tokens = (torch.zeros((), device=ranks.device) for _ in range(2))
        self._outcome = torch.zeros(4, dtype=torch.float64, device=ranks.device)
        self._unread: list[Tensor] = []
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def update(self, number: int, batches: Iterable[tuple[int, TensorBatch]]) -> None:
        """Do update `number` (1, 2, ...) with this process's share of its batches."""
        every = self.config.redraw_every
        if every and (number - 1) % every == 0:
            self.model.redraw(number)
        for index, batch in batches:
            torch.manual_seed(batch_seed(self.config.seed, index))
            self._gradient(*batch)
        self.ranks.sum(self._total, self._tokens)
        self.ranks.sum_gradients(self.model.parameters())
        for group in self.optimizer.param_groups:
            group["lr"].fill_(self._rate(number))
        self._finish()
        self._unread.append(self._outcome.clone())

    def read(self) -> list[Update]:
        """The results of the updates since the last call; waits until they are done."""
        if not self._unread:
            return []
        outcomes = torch.stack(self._unread).tolist()
        self._unread.clear()
        return [Update(loss, int(n), norm, bool(done)) for loss, n, norm, done in outcomes]

    def _rate(self, number: int) -> float:
        config = self.config
        return learning_rate(
            number, config.learning_rate, config.warmup, config.updates, config.cooldown
        )

    def _add_gradient(self, source: Tensor, target_in: Tensor, target: Tensor) -> None:
        """Run forward and backward for a batch; add to the loss, the tokens and the gradients."""
        with self.precision.autocast():
            logits, teacher = self.model(source, target_in), self._teacher_logits(source, target_in)
        share = self.config.teacher_share
        loss, tokens = self._loss(logits, target, PAD, self.config.label_smoothing, teacher, share)
        (loss * self.precision.scale).backward()
        self._total.add_(loss.detach())
        self._tokens.add_(tokens)

    def _teacher_logits(self, source: Tensor, target_in: Tensor) -> Tensor | None:
        """The teacher's logits for a batch, or None without a teacher."""
        if self.teacher is None:
            return None
        with torch.no_grad():
            logits: Tensor = self.teacher(source, target_in)
        return logits

    def _step(self) -> None:
        """Apply the optimiser step unless the gradient is not finite, and reset the gradient."""
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        divisor = self._tokens * self.precision.scale
        norm = torch.nn.utils.get_total_norm(gradients) / divisor
        overflowed = (~norm.isfinite()).float()
        if self.config.clip:
            divisor = divisor * (norm / self.config.clip).clamp_min(1)
        vars(self.optimizer).update(grad_scale=divisor, found_inf=overflowed)
        self.optimizer.step()
        self.precision.adapt(overflowed)
        outcome = (self._total / self._tokens, self._tokens, norm, 1 - overflowed)
        self._outcome.copy_(torch.stack(outcome))
        torch._foreach_zero_([*gradients, self._total, self._tokens])


def make_optimizer(model: TranslationModel, config: TrainingConfig) -> torch.optim.Optimizer:
    """Fused AdamW; its learning rate is a tensor that is filled before each step."""
    first, second = config.betas
    device = next(model.parameters()).device
    return torch.optim.AdamW(
        model.parameters(),
        lr=torch.tensor(config.learning_rate, device=device),
        betas=(first, second),
        weight_decay=config.weight_decay,
        fused=True,
        capturable=device.type == "cuda",
    )


def batch_seed(seed: int, number: int) -> int:
    """The dropout seed of one batch, different for every batch of a run."""
    return (seed << 40) + number
