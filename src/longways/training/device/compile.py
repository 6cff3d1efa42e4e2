"""Compile layers into fused kernels with torch.compile, for training on a GPU.

Each kind of layer is compiled once for all lengths and batch sizes; the rest of the model is not
compiled. Validation runs uncompiled: see `torch.compiler.set_stance`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from longways.model.decoder import DecoderLayer
from longways.model.translation import TranslationModel
from longways.training.loss import window_loss

MAX_COMPILED_VARIANTS = 64
"""Versions of one function after which the compiler falls back to eager execution."""


def compile_layers(model: TranslationModel) -> Callable[..., tuple[Tensor, Tensor]]:
    """Compile the layers of a model in place, and return the compiled training loss."""
    torch._dynamo.config.recompile_limit = MAX_COMPILED_VARIANTS
    for layer in (*model.encoder.layers, *model.decoder.layers):
        layer.compile(dynamic=True)
        if isinstance(layer, DecoderLayer):
            remember: Any = torch.compile(layer.cross.remember, dynamic=True)
            setattr(layer.cross, "remember", remember)  # noqa: B010
    return torch.compile(window_loss, dynamic=True)
