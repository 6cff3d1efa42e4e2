"""The one rule of RFA arithmetic: sums are float32 or better, whatever is summed.

On a CPU, half-precision inputs are widened, and everything is computed in float32. On a GPU, in
mixed precision, Triton's kernels and the matrix units take half-precision features as they are and
add up in float32; the noise of random features is a hundred times what that rounds away.
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
    """Whether the fused kernels take this tensor: half precision, on a GPU that Triton knows."""
    return _TRITON and tensor.is_cuda and tensor.dtype in _HALF


def full_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Make `function` compute in float32 or better: autocast off, half-precision inputs widened."""

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
    """The tensor in float32 if it was in half precision, else as it is."""
    return tensor.float() if tensor.dtype in _HALF else tensor


def _widen(value: Any) -> Any:
    return widen(value) if isinstance(value, Tensor) else value
