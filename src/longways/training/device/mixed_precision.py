"""Mixed precision: which products are computed in half precision, and the scale of float16.

Weights, gradients and the optimiser's memory stay in float32. float16 has few exponents: the loss
is multiplied by a scale that grows until a gradient overflows, and is halved then.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.training.config import Precision

FIRST_SCALE = 2.0**16
GROWTH, BACKOFF, INTERVAL = 2.0, 0.5, 2000
"""The scale doubles after so many updates without overflow, and halves at one."""

HALF = {"bfloat16": torch.bfloat16, "float16": torch.float16}


class MixedPrecision:
    """The precision of a run, with the one thing it remembers: the scale of the loss."""

    def __init__(self, name: Precision, device: torch.device) -> None:
        self.name, self.device = name, device
        self.scale = torch.tensor(FIRST_SCALE if name == "float16" else 1.0, device=device)
        self.quiet = torch.zeros((), dtype=torch.int32, device=device)
        """Updates since the scale last changed."""
        if device.type == "cuda" and name != "float32":
            torch.backends.cuda.matmul.allow_tf32 = True  # products that stay in float32

    def autocast(self) -> torch.autocast:
        """The context that forward passes run in."""
        dtype = HALF.get(self.name, torch.bfloat16)
        return torch.autocast(self.device.type, dtype, enabled=self.name in HALF)

    def adapt(self, overflowed: Tensor) -> None:
        """Move the scale after an update; `overflowed` is 1 if its gradient was not finite."""
        if self.name == "float16":
            torch._amp_update_scale_(self.scale, self.quiet, overflowed, GROWTH, BACKOFF, INTERVAL)

    def state(self) -> dict[str, Tensor]:
        """What a checkpoint keeps."""
        return {"scale": self.scale, "quiet": self.quiet}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what a checkpoint kept."""
        for name, kept in self.state().items():
            kept.copy_(state[name])
