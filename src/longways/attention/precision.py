"""The one rule of RFA arithmetic: S, z and the division are never computed in half precision."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")

_HALF = (torch.bfloat16, torch.float16)


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
