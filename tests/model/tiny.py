"""Tiny models of every kind, and random windows for them."""

from __future__ import annotations

import torch
from torch import Tensor

from longways.model.build import build_model
from longways.model.config import PRESETS, ModelConfig, preset
from longways.model.translation import TranslationModel

SIZES = {
    "source_vocabulary": 50,
    "target_vocabulary": 40,
    "dim": 32,
    "heads": 4,
    "feed_forward": 64,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "positions": 64,
    "pool": 12,
}
PAD, BOS, EOS, SEP = 0, 1, 2, 3

WINDOW_MODELS = [name for name in PRESETS if name != "stream"]
"""The models that are searched window by window."""


def tiny_config(name: str, *overrides: str) -> ModelConfig:
    sizes = "cross.projection=16", "causal.projection=8", "stream.projection=8"
    return preset(name, *sizes, *overrides, **SIZES)


def tiny_model(name: str, *overrides: str) -> TranslationModel:
    """A model in float64 and evaluation mode, so that results agree up to rounding."""
    torch.manual_seed(0)
    return build_model(tiny_config(name, *overrides)).double().eval()


def random_batch(windows: int = 3, source: int = 11, target: int = 15) -> tuple[Tensor, Tensor]:
    """Source windows of several lengths, and target windows with separators inside."""
    torch.manual_seed(1)
    source_tokens = torch.randint(4, 50, (windows, source))
    source_tokens[0, source - 3 :] = PAD
    target_in = torch.randint(4, 40, (windows, target))
    target_in[:, 0], target_in[:, 5], target_in[1, 9] = BOS, SEP, SEP
    return source_tokens, target_in
