"""Mixed precision: autocast of matmuls to half precision, and loss scaling for float16.

Weights, gradients and optimiser states are float32. float16 has a small exponent range, so the loss
is multiplied by a scale, which grows until a gradient overflows and is halved then.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longways.training.config import Precision

INITIAL_SCALE = 2.0**16
GROWTH_FACTOR, BACKOFF_FACTOR, GROWTH_INTERVAL_UPDATES = 2.0, 0.5, 2000
"""The scale doubles after 2,000 updates without overflow, and halves after an overflow."""

HALF = {"bfloat16": torch.bfloat16, "float16": torch.float16}


class MixedPrecision:
    """The precision of a run, and its loss scale."""

    def __init__(self, name: Precision, device: torch.device) -> None:
        self.name, self.device = name, device
        self.scale = torch.tensor(INITIAL_SCALE if name == "float16" else 1.0, device=device)
        self.quiet = torch.zeros((), dtype=torch.int32, device=device)
        """Updates since the scale last changed."""
        if device.type == "cuda" and name != "float32":
            torch.backends.cuda.matmul.allow_tf32 = True  # for matmuls that stay in float32

    def autocast(self) -> torch.autocast:
        """The context of forward passes."""
        dtype = HALF.get(self.name, torch.bfloat16)
        return torch.autocast(self.device.type, dtype, enabled=self.name in HALF)

    def adapt(self, overflowed: Tensor) -> None:
        """Adapt the scale after an update; `overflowed` is 1 if its gradient was not finite."""
        if self.name == "float16":
            factors = GROWTH_FACTOR, BACKOFF_FACTOR, GROWTH_INTERVAL_UPDATES
            torch._amp_update_scale_(self.scale, self.quiet, overflowed, *factors)

    def state(self) -> dict[str, Tensor]:
        """The tensors for a checkpoint."""
        return {"scale": self.scale, "quiet": self.quiet}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Restore the tensors of a checkpoint."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])
