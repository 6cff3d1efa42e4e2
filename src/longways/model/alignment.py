"""Alignment of target tokens with source tokens, from the weights of cross attention.

B windows, H heads, N source tokens, T target tokens, d model size.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from longways.model.alignment_heads import AlignmentHead
from longways.model.translation import TranslationModel


def align(
    model: TranslationModel,
    source: Tensor,
    target_in: Tensor,
    heads: Sequence[AlignmentHead] = (),
) -> Tensor:
    """Alignment weights (B, T, N) of every source token for each token of a target.

    The target is what follows the tokens `target_in`. The weights are means over the given heads,
    by default over all heads of all layers, of a stream model over its sentence heads; negative
    estimates of RFA count as zero. The weights of a target token sum to one; source padding has the
    weight zero. The last token has no later one, so a head with a delay gives it the weights
    without.
    """
    encoded = model.encoder(source, source != model.config.pad)
    memory, mask = model.remember(encoded, source), model.aligned(source, target_in)
    separators = source == model.config.sep
    weights = [
        layer.cross_weights(x, encoded, mask, W, separators)  # (B, H, T, N)
        for layer, W, _, x in model.decoder.trace(target_in, memory)
    ]
    chosen = [_delayed(weights[layer][:, head], delay) for layer, head, delay in heads]
    mean = torch.stack(chosen or [one.mean(1) for one in weights]).mean(0).clamp_min(0)
    return mean / mean.sum(-1, keepdim=True).clamp_min(torch.finfo(mean.dtype).tiny)


def _delayed(weights: Tensor, delay: int) -> Tensor:
    """The weights (B, T, N), each of the step that is `delay` steps later."""
    return torch.cat([weights[:, delay:], weights[:, weights.shape[1] - delay :]], dim=1)
