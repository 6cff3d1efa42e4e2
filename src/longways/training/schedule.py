"""How the learning rate moves: up in a line, then down with the square root of the update.

A run of known length can end in a cool-down, in which the rate falls to nothing in a line; the
model then settles, and is better at once than many more updates would make it.
"""

from __future__ import annotations

import math


def inverse_sqrt(update: int, peak: float, warmup: int) -> float:
    """The learning rate of update 1, 2, ...: it reaches `peak` at update `warmup`."""
    return peak * min(update / warmup, math.sqrt(warmup / update))


def learning_rate(update: int, peak: float, warmup: int, updates: int, cooldown: int) -> float:
    """The same, but over the last `cooldown` of all `updates` it falls to nothing."""
    left = updates - update + 1
    return inverse_sqrt(update, peak, warmup) * min(1.0, left / max(1, cooldown))
