"""Feature maps as decoding steps take them."""

from __future__ import annotations

from torch import Tensor, nn

from longways.attention.features import Activation, FeatureMap, ProjectedFeatures
from longways.attention.rfa.triton_decode_map import fused_map
from longways.runtime.step_kernels import Linear


class StepMap:
    """A feature map of which all that is linear has gone into the product before it.

    `plain` and `fused` are the rest, for torch and for kernels.
    """

    def __init__(self, phi: FeatureMap, W: Tensor | None) -> None:
        self.phi, self.W, self.fused = phi, W, fused_map(phi, W)
        self.plain = Activation(phi) if isinstance(phi, ProjectedFeatures) else phi

    def before(self, linear: nn.Linear) -> nn.Linear | Linear:
        """What gives the map its input, made of what gives queries or keys."""
        if not isinstance(self.phi, ProjectedFeatures):
            return linear
        weight, bias = self.phi.folded(linear)
        return Linear(weight.to(linear.weight), bias.to(linear.bias))
