"""Alignment of target tokens with source tokens, from the weights of cross attention.

B windows, H heads, N source tokens, T target tokens, d model size.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.model.translation import TranslationModel


def align(model: TranslationModel, source: Tensor, target_in: Tensor) -> Tensor:
    """Alignment weights (B, T, N) of every source token for each target token after `target_in`.

    They are means over all heads of all layers, of a stream model over its sentence heads;
    negative estimates of RFA count as zero. The weights of a target token sum to one; source
    padding has the weight zero.
    """
    encoded = model.encoder(source, source != model.config.pad)
    memory, mask = model.remember(encoded, source), model.aligned(source, target_in)
    weights = [
        layer.cross_weights(x, encoded, mask, W).mean(1)
        for layer, W, _, x in model.decoder.trace(target_in, memory)
    ]
    mean = torch.stack(weights).mean(0).clamp_min(0)
    return mean / mean.sum(-1, keepdim=True).clamp_min(torch.finfo(mean.dtype).tiny)
