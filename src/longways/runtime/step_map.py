"""Feature maps as decoding steps take them.

d model size, H heads, E head size, K projections.
"""

from __future__ import annotations

import torch
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
        """What gives the map its input, made of what gives queries or keys (d -> H E)."""
        return fold(linear, self.phi) if isinstance(self.phi, ProjectedFeatures) else linear


def fold(linear: nn.Linear, phi: ProjectedFeatures) -> Linear:
    """One product for both: d -> H E -> H K."""
    heads = len(phi.weight)
    W, weight, bias = (x.detach().double() for x in (phi.weight, linear.weight, linear.bias))
    joint = torch.einsum("hke,hed->hkd", W, weight.unflatten(0, (heads, -1)))
    shift = torch.einsum("hke,he->hk", W, bias.unflatten(0, (heads, -1))) + phi.bias.detach()
    return Linear(joint.flatten(0, 1).to(linear.weight), shift.flatten().to(linear.bias))
