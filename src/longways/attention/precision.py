"""The precision rule of RFA: sums are accumulated in float32 or better, whatever the inputs are.

On a CPU, half-precision inputs are widened, and everything is computed in float32. On a GPU, in
mixed precision, Triton kernels and tensor cores multiply half-precision features and accumulate in
float32. The noise of random features is a hundred times the rounding error of half precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")

_HALF = (torch.bfloat16, torch.float16)
_TRITON = find_spec("triton") is not None


def kernels_serve(tensor: Tensor) -> bool:
    """Whether the fused kernels support this tensor: half precision, on a GPU, with Triton."""
    return _TRITON and tensor.is_cuda and tensor.dtype in _HALF


def full_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate `function` to compute in float32 or better: no autocast, half inputs widened."""

    @wraps(function)
    def widened(*args: Any, **kwargs: Any) -> R:
        device = next(value.device.type for value in args if isinstance(value, Tensor))
        with torch.autocast(device, enabled=False):
            return function(
                *(_widen(value) for value in args),
                **{name: _widen(value) for name, value in kwargs.items()},
            )

    return widened


def widen(tensor: Tensor) -> Tensor:
    """The tensor in float32 if it is in half precision, else unchanged."""
    return tensor.float() if tensor.dtype in _HALF else tensor


def _widen(value: Any) -> Any:
    return widen(value) if isinstance(value, Tensor) else value
