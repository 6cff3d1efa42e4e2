"""The learning rate schedule: linear warm-up, inverse square root decay, linear cool-down.

The cool-down at the end of a run lowers the rate to zero. It improves a model more than many
further updates would.
"""

from __future__ import annotations

import math


def inverse_sqrt(update: int, peak: float, warmup: int) -> float:
    """The learning rate of update 1, 2, ...; it reaches `peak` at update `warmup`."""
    return peak * min(update / warmup, math.sqrt(warmup / update))


def learning_rate(update: int, peak: float, warmup: int, updates: int, cooldown: int) -> float:
    """`inverse_sqrt` with a linear fall to zero over the last `cooldown` of all `updates`."""
    left = updates - update + 1
    return inverse_sqrt(update, peak, warmup) * min(1.0, left / max(1, cooldown))
