"""A feature map whose projection is folded into the weights of the query or key projection.

B batch, H heads, T tokens, E head size, K projections, d model size.

Every map projects its input, and the input of a head is a linear map of the layer's input y:
W (A y + a) + b = (W A) y + (W a + b). So one matmul computes the projections. The random maps also
need the norm of x, so their matmul returns x after the projections: N = K + E numbers for each
head. For the trained maps N = K.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from longways.attention.features import NO_POOL, FeatureMap, ProjectedFeatures, TemperedMap
from longways.attention.precision import full_precision


def fold(phi: FeatureMap, W: Tensor | None, linear: nn.Linear) -> tuple[Tensor, Tensor]:
    """Weight (H N, d) and bias (H N,) of the folded matmul, in float64."""
    own = _double(phi.weight if isinstance(phi, ProjectedFeatures) else W)
    A, a = (_double(x).unflatten(0, (len(own), -1)) for x in (linear.weight, linear.bias))
    weight, bias = _apply_per_head(own, A), _apply_per_head(own, a)
    if isinstance(phi, ProjectedFeatures):
        bias = bias + _double(phi.bias)
    else:
        weight, bias = torch.cat([weight, A], 1), torch.cat([bias, a], 1)
    return weight.flatten(0, 1), bias.flatten()


def project(phi: FeatureMap, W: Tensor | None, x: Tensor) -> Tensor:
    """The output (B, H, T, N) of the folded matmul, computed from x (B, H, T, E)."""
    if isinstance(phi, ProjectedFeatures):
        return phi.projections(x)
    return _projections_and_x(x, W)


class FusedProjection(FeatureMap):
    """The rest of a feature map after the folded matmul."""

    def __init__(self, of: ProjectedFeatures | TemperedMap) -> None:
        super().__init__()
        self.features, self.of = of.features, of

    @full_precision
    def phi(self, x: Tensor, W: Tensor | None) -> Tensor:
        """The features of the output x (B, H, T, N) of the folded matmul."""
        if isinstance(self.of, ProjectedFeatures):
            return self.of.activate(x)
        projections = self.of.features // 2
        return self.of.activate(self.of.tempered(x[..., :projections], x[..., projections:]))


@full_precision
def _projections_and_x(x: Tensor, W: Tensor | None) -> Tensor:
    assert W is not None, NO_POOL
    return torch.cat([torch.einsum("bhte,hke->bhtk", x, W), x], -1)


def _apply_per_head(W: Tensor, A: Tensor) -> Tensor:
    """W (H, K, E) applied to A (H, E, ...)."""
    return torch.einsum("hke,he...->hk...", W, A)


def _double(x: Tensor | None) -> Tensor:
    assert x is not None, NO_POOL
    return x.detach().double()
