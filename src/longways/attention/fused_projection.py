"""A feature map whose projection has gone into the product that gives queries or keys.

B batch, H heads, T tokens, E head size, K projections, d model size.

Every map projects its input, and the input of a head is a linear map of what the layer is given:
W (A y + a) + b = (W A) y + (W a + b). So one product gives the projections. The random maps also
need the length of the input, so there it follows its projections: K + E numbers for each head.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from longways.attention.features import NO_POOL, FeatureMap, ProjectedFeatures, TemperedMap
from longways.attention.precision import full_precision


def fold(phi: FeatureMap, W: Tensor | None, linear: nn.Linear) -> tuple[Tensor, Tensor]:
    """Weight (H N, d) and bias (H N,), in float64, of the one product; N is K, or K + E."""
    own = _double(phi.weight if isinstance(phi, ProjectedFeatures) else W)
    A, a = (_double(x).unflatten(0, (len(own), -1)) for x in (linear.weight, linear.bias))
    weight, bias = _through(own, A), _through(own, a)
    if isinstance(phi, ProjectedFeatures):
        bias = bias + _double(phi.bias)
    else:
        weight, bias = torch.cat([weight, A], 1), torch.cat([bias, a], 1)
    return weight.flatten(0, 1), bias.flatten()


def project(phi: FeatureMap, W: Tensor | None, x: Tensor) -> Tensor:
    """What that product gives, from x (B, H, T, E) itself: (B, H, T, N), float32 or better."""
    if isinstance(phi, ProjectedFeatures):
        return phi.projections(x)
    return _projected_and_itself(x, W)


class FusedProjection(FeatureMap):
    """The rest of a map: the features of what `project` gives."""

    def __init__(self, of: ProjectedFeatures | TemperedMap) -> None:
        super().__init__()
        self.features, self.of = of.features, of

    @full_precision
    def phi(self, x: Tensor, W: Tensor | None) -> Tensor:
        """Of (B, H, T, N)."""
        if isinstance(self.of, ProjectedFeatures):
            return self.of.activate(x)
        projections = self.of.features // 2
        return self.of.activate(self.of.tempered(x[..., :projections], x[..., projections:]))


@full_precision
def _projected_and_itself(x: Tensor, W: Tensor | None) -> Tensor:
    assert W is not None, NO_POOL
    return torch.cat([torch.einsum("bhte,hke->bhtk", x, W), x], -1)


def _through(W: Tensor, A: Tensor) -> Tensor:
    """W (H, K, E) applied to A (H, E, ...)."""
    return torch.einsum("hke,he...->hk...", W, A)


def _double(x: Tensor | None) -> Tensor:
    assert x is not None, NO_POOL
    return x.detach().double()
