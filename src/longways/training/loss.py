"""The training loss: cross-entropy with label smoothing, and distillation.

B windows, T target tokens, V vocabulary size.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy


def window_loss(
    logits: Tensor,
    target: Tensor,
    pad: int,
    label_smoothing: float,
    teacher: Tensor | None = None,
    share: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """The loss summed over all target tokens, and the number of target tokens.

    logits (B, T, V), target (B, T). Every sentence of the window is supervised, not only the last;
    separators and `<eos>` are included. Sums of several batches can be added before one division.
    With the logits of a teacher (B, T, V), `share` of the loss is the divergence from the teacher.
    """
    real, count = target != pad, (target != pad).sum()
    total = _cross_entropy(logits, target, pad, label_smoothing)
    if teacher is None:
        return total, count
    return (1 - share) * total + share * _divergence(logits, teacher, real), count


def _divergence(logits: Tensor, teacher: Tensor, real: Tensor) -> Tensor:
    """The Kullback-Leibler divergence from the teacher, summed over the `real` tokens (B, T)."""
    ours, theirs = logits.float().log_softmax(-1), teacher.float().log_softmax(-1)
    return ((theirs.exp() * (theirs - ours)).sum(-1) * real).sum()


def _cross_entropy(logits: Tensor, target: Tensor, pad: int, label_smoothing: float) -> Tensor:
    return cross_entropy(
        logits.flatten(0, 1).float(),
        target.flatten(),
        ignore_index=pad,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
