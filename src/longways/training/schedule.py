"""How the learning rate moves: up in a line, then down with the square root of the update."""

from __future__ import annotations

import math


def inverse_sqrt(update: int, peak: float, warmup: int) -> float:
    """The learning rate of update 1, 2, ...: it reaches `peak` at update `warmup`."""
    return peak * min(update / warmup, math.sqrt(warmup / update))
