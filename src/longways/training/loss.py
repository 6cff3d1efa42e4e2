"""The training loss.

B windows, T target tokens, V target words.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy


def window_loss(logits: Tensor, target: Tensor, pad: int, label_smoothing: float) -> Tensor:
    """Mean cross-entropy over all target tokens of a window, separators and `<eos>` included.

    logits (B, T, V), target (B, T). Every sentence of the window is supervised, not only the last.
    """
    return cross_entropy(
        logits.flatten(0, 1),
        target.flatten(),
        ignore_index=pad,
        label_smoothing=label_smoothing,
    )
