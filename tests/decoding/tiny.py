"""Tiny models with a vocabulary of ten, so that search can be compared with all translations."""

from __future__ import annotations

import numpy as np
import torch

from longways.decoding.torch import TorchRuntime
from longways.decoding.torch_stream import torch_runtime
from longways.model.build import build_model
from longways.model.config import preset
from longways.text.tokenizers.special_tokens import EOS, SEP, UNK

MODELS = ["transformer", "rfa-sgate", "hybrid"]
WORDS = range(UNK + 1, 10)

SIZES = {
    "source_vocabulary": 10,
    "target_vocabulary": 10,
    "dim": 16,
    "heads": 2,
    "feed_forward": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "positions": 64,
    "pool": 4,
}


def tiny_runtime(
    name: str, *overrides: str, seed: int = 8, dtype: torch.dtype = torch.float64
) -> TorchRuntime:
    """A model with larger weights than at initialisation, so that source and context matter."""
    torch.manual_seed(seed)
    sizes = "cross.projection=8", "causal.projection=4", "stream.projection=4", *overrides
    model = build_model(preset(name, *sizes, **SIZES))
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.normal_(std=2.5 * parameter.shape[1] ** -0.5)
        if model.output_bias is not None:
            model.output_bias.normal_()
    return torch_runtime(model.to(dtype))


def random_sentences(
    count: int, rng: np.random.Generator, longest: int = 6, shortest: int = 1
) -> list[list[int]]:
    lengths = rng.integers(shortest, longest + 1, count)
    return [rng.integers(UNK + 1, 10, n).tolist() for n in lengths]


def window(*sentences: list[int]) -> list[int]:
    """s1 <sep> s2 <eos>."""
    tokens = [token for sentence in sentences for token in (*sentence, SEP)]
    return [*tokens[:-1], EOS]
