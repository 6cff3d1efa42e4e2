"""The training loss.

B windows, T target tokens, V target words.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy


def window_loss(
    logits: Tensor,
    target: Tensor,
    pad: int,
    label_smoothing: float,
    taught: Tensor | None = None,
    share: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """The summed cross-entropy of all target tokens, and how many there are.

    logits (B, T, V), target (B, T). Every sentence of the window is supervised, separators and
    `<eos>` included, not only the last. Sums of several batches can be added, and divided once.
    With the logits of a teacher, `taught` (B, T, V), a share of the loss is how far the words' odds
    are from the teacher's.
    """
    real, count = target != pad, (target != pad).sum()
    total = _cross_entropy(logits, target, pad, label_smoothing)
    if taught is None:
        return total, count
    return (1 - share) * total + share * _divergence(logits, taught, real), count


def _divergence(logits: Tensor, taught: Tensor, real: Tensor) -> Tensor:
    """The summed Kullback-Leibler divergence from the teacher's words, of real tokens (B, T)."""
    ours, theirs = logits.float().log_softmax(-1), taught.float().log_softmax(-1)
    return ((theirs.exp() * (theirs - ours)).sum(-1) * real).sum()


def _cross_entropy(logits: Tensor, target: Tensor, pad: int, label_smoothing: float) -> Tensor:
    return cross_entropy(
        logits.flatten(0, 1).float(),
        target.flatten(),
        ignore_index=pad,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
