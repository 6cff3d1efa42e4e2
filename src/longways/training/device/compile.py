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
from longways.model.stream.decoder import StreamDecoderLayer
from longways.model.translation import TranslationModel
from longways.training.loss import window_loss

MAX_COMPILED_VARIANTS = 64
"""Versions of one function after which the compiler falls back to eager execution."""

STREAM_OPTIONS: dict[str, str | int | bool | Callable[..., Any]] = {"shape_padding": False}
"""Compiler options of stream models. Their gates are matmuls with few outputs, which the compiler
would pad to 8; PyTorch 2.11 then keeps the strides of the first batch shape for all of them."""


def compile_layers(model: TranslationModel) -> Callable[..., tuple[Tensor, Tensor]]:
    """Compile the layers of a model in place, and return the compiled training loss."""
    torch._dynamo.config.recompile_limit = MAX_COMPILED_VARIANTS
    options = STREAM_OPTIONS if model.config.is_stream else None
    for layer in (*model.encoder.layers, *model.decoder.layers):
        layer.compile(dynamic=True, options=options)
        if isinstance(layer, DecoderLayer):
            name = "remember_window" if isinstance(layer, StreamDecoderLayer) else "remember"
            remember: Any = torch.compile(getattr(layer.cross, name), dynamic=True, options=options)
            setattr(layer.cross, name, remember)
    return torch.compile(window_loss, dynamic=True)
