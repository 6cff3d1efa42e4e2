"""The training loss.

B windows, T target tokens, V target words.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy


def window_loss(
    logits: Tensor, target: Tensor, pad: int, label_smoothing: float
) -> tuple[Tensor, Tensor]:
    """The summed cross-entropy of all target tokens, and how many there are.

    logits (B, T, V), target (B, T). Every sentence of the window is supervised, separators and
    `<eos>` included, not only the last. Sums of several batches can be added, and divided once.
    """
    total = cross_entropy(
        logits.flatten(0, 1).float(),
        target.flatten(),
        ignore_index=pad,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
    return total, (target != pad).sum()
