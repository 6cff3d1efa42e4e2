"""Which source tokens a translation comes from, by what cross attention looked at.

B windows, H heads, N source tokens, T target tokens, d model size.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.model.translation import TranslationModel


def align(model: TranslationModel, source: Tensor, target_in: Tensor) -> Tensor:
    """(B, T, N): the share of each source token in each target token that `target_in` predicts.

    The mean over all heads of all layers, what RFA estimates below zero taken as nothing. Shares of
    a real target token add up to one; source padding has none.
    """
    mask = source != model.config.pad
    encoded = model.encoder(source, mask)
    memory = model.decoder.remember(encoded, mask)
    shares = [
        layer.cross_weights(x, encoded, mask, W).mean(1)
        for layer, W, _, x in model.decoder.watch(target_in, memory)
    ]
    mean = torch.stack(shares).mean(0).clamp_min(0)
    return mean / mean.sum(-1, keepdim=True).clamp_min(torch.finfo(mean.dtype).tiny)
