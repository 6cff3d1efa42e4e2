"""Feature maps as decoding steps take them."""

from __future__ import annotations

from torch import Tensor, nn

from longways.attention.features import ProjectedFeatures, TemperedMap
from longways.attention.folding import Folded, fold
from longways.attention.rfa.triton_decode_map import fused_map
from longways.runtime.step_kernels import Linear


class StepMap:
    """A feature map of which all that is linear has gone into the product before it.

    `plain` and `fused` are the rest, for torch and for kernels.
    """

    def __init__(self, phi: ProjectedFeatures | TemperedMap, W: Tensor | None) -> None:
        self.phi, self.W = phi, W
        self.plain, self.fused = Folded(phi), fused_map(phi)

    def before(self, linear: nn.Linear) -> Linear:
        """What gives the map its input, made of what gives queries or keys."""
        weight, bias = fold(self.phi, self.W, linear)
        return Linear(weight.to(linear.weight), bias.to(linear.bias))
