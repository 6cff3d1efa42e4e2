"""Feature maps: phi(q) . phi(k) approximates the exp(q . k) of softmax attention.

B batch, H heads, T tokens, E head size, K projections, D features.

A feature map takes x (B, H, T, E) and the projection W (H, K, E) and returns phi (B, H, T, D). The
random maps get their W from a `MatrixPool`; the trained maps own theirs and ignore the argument.
Both random maps estimate the same kernel,

    phi(x) . phi(y)  ~  FEATURE_SCALE^2 * K * exp(-|x^ - y^|^2 / (2 tau^2)),   x^ = x / (|x| + eps),

so one floor under the norm fits both, and `exp_scale` turns the product into exp(x^ . y^ / tau^2).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from longways.attention.config import MapName
from longways.attention.precision import full_precision, kernels_serve, widen
from longways.attention.rfa.constants import (
    FEATURE_SCALE,
    MAX_FUSED_FEATURES,
    NORM_EPSILON,
    SPIKY_SCALE,
)

NO_POOL = "a random feature map needs the matrices of a pool"


class FeatureMap(nn.Module, ABC):
    """phi for the queries and keys of one attention layer."""

    features: int
    """D, the number of features of one head's query or key."""

    orthogonal: bool | None = None
    """Whether the pool draws orthogonal or independent rows of W; None: the map needs no pool."""

    @abstractmethod
    def phi(self, x: Tensor, W: Tensor | None) -> Tensor:
        """The features of x: (B, H, T, E) -> (B, H, T, D), in float32 or better."""

    def forward(self, x: Tensor, W: Tensor | None, weight: Tensor | None = None) -> Tensor:
        """The features of x, multiplied by the weight (B, H, T) of each token if one is given."""
        phi = self.phi(x, W)
        return phi if weight is None else weight[..., None] * phi

    @property
    def temperature(self) -> Tensor | None:
        """tau of each head (H,); None if the map has none."""
        return None

    def log_key_norms(self, k: Tensor) -> Tensor:
        """n (B, H, T), the logarithm of the factor by which the norm of a cross key weights it."""
        return k.new_zeros(k.shape[:-1])


class TemperedMap(FeatureMap):
    """Base of the two random maps: unit inputs and a learned temperature for each head."""

    def __init__(self, heads: int, head_dim: int, projection: int, tau: float) -> None:
        super().__init__()
        self.features = 2 * projection
        self.tau = nn.Parameter(torch.full((heads,), tau))

    @property
    def temperature(self) -> Tensor:
        """tau of each head (H,)."""
        return self.tau

    @abstractmethod
    def activate(self, u: Tensor) -> Tensor:
        """The features of the projections u = W x^ / tau, (..., K) in float32 or better."""

    @full_precision
    def phi(self, x: Tensor, W: Tensor | None) -> Tensor:
        """The features of W x^ / tau."""
        assert W is not None, NO_POOL
        unit = x / (torch.linalg.vector_norm(x, dim=-1, keepdim=True) + NORM_EPSILON)
        tempered = W / widen(self.tau)[:, None, None]
        return self.activate(torch.einsum("bhte,hke->bhtk", unit, tempered))

    def tempered(self, projected: Tensor, x: Tensor) -> Tensor:
        """W x^ / tau, from the projections W x (B, H, T, K) and x itself."""
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True) + NORM_EPSILON
        tempered: Tensor = projected / (length * widen(self.tau)[:, None, None])
        return tempered

    @full_precision
    def log_key_norms(self, k: Tensor) -> Tensor:
        """n = (|k| E^-1/2 / tau)^2 / 2, so that long keys have the weight they have in softmax."""
        return k.square().sum(-1) / (2 * k.shape[-1] * widen(self.tau).square()[:, None])

    def exp_scale(self, projection: int) -> Tensor:
        """(H,): phi(x) . phi(y) times this estimates exp(x . y / tau^2) for unit x and y."""
        return (1 / widen(self.tau).square()).exp() / (FEATURE_SCALE**2 * projection)


class RandomFeatures(TemperedMap):
    """The paper's map: sines and cosines of random projections (D = 2 K)."""

    orthogonal = False

    def forward(self, x: Tensor, W: Tensor | None, weight: Tensor | None = None) -> Tensor:
        """The features of x. In half precision on a GPU, one fused kernel computes them."""
        if W is None or not kernels_serve(x) or x.shape[-1] > MAX_FUSED_FEATURES:
            return super().forward(x, W, weight)
        from longways.attention.kernels.features import random_features

        return random_features(x, W, self.tau, x.dtype, weight)

    def activate(self, u: Tensor) -> Tensor:
        """FEATURE_SCALE * [sin(u), cos(u)]."""
        return FEATURE_SCALE * torch.cat([u.sin(), u.cos()], -1)


class PositiveFeatures(TemperedMap):
    """FAVOR+ (Choromanski et al. 2021): exponentials, so no estimate is ever negative (D = 2 K)."""

    orthogonal = True

    def activate(self, u: Tensor) -> Tensor:
        """FEATURE_SCALE / sqrt(2) * [exp(u - 1/tau^2), exp(-u - 1/tau^2)]."""
        offset = 1 / widen(self.tau).square()[:, None, None] + math.log(2) / 2
        return FEATURE_SCALE * torch.cat([(u - offset).exp(), (-u - offset).exp()], -1)


class ProjectedFeatures(FeatureMap):
    """Base of the two trained maps: a projection with weights of its own (D = K).

    Nothing is random, and x is not normalised, so key norms need no extra weight. The projection is
    linear, so decoding folds it into the matmul that computes queries and keys.
    """

    def __init__(self, heads: int, head_dim: int, projection: int, tau: float) -> None:
        super().__init__()
        self.features = projection
        self.weight = nn.Parameter(torch.randn(heads, projection, head_dim) / math.sqrt(head_dim))
        self.bias = nn.Parameter(torch.zeros(heads, projection))

    @abstractmethod
    def activate(self, u: Tensor) -> Tensor:
        """The features of the projections u = W x + b, (..., K) in float32 or better."""

    def forward(self, x: Tensor, W: Tensor | None, weight: Tensor | None = None) -> Tensor:
        """The features of x. In half precision on a GPU, projections and phi have x's precision."""
        if not kernels_serve(x):
            return super().forward(x, W, weight)
        phi = self.activate(self._project(x, self.weight.to(x.dtype)).float())
        return (phi if weight is None else weight[..., None] * phi).to(x.dtype)

    @full_precision
    def phi(self, x: Tensor, W: Tensor | None) -> Tensor:
        """The features of the projections of x."""
        return self.activate(self.projections(x))

    @full_precision
    def projections(self, x: Tensor) -> Tensor:
        """u = W x + b: (B, H, T, E) -> (B, H, T, K)."""
        return self._project(x, widen(self.weight))

    def _project(self, x: Tensor, weight: Tensor) -> Tensor:
        return torch.einsum("bhte,hke->bhtk", x, weight) + widen(self.bias)[:, None, :]


class LearnedFeatures(ProjectedFeatures):
    """T2R (Kasai et al. 2021): a ReLU of the projections."""

    def activate(self, u: Tensor) -> Tensor:
        """FEATURE_SCALE * relu(u)."""
        return FEATURE_SCALE * u.relu()


class SpikyFeatures(ProjectedFeatures):
    """A softmax over the projections: few features are large, as few softmax weights are.

    Hedgehog (Zhang et al. 2024) uses softmax(W x) and softmax(-W x); softmax(W x) alone fits our
    attention better.
    """

    def activate(self, u: Tensor) -> Tensor:
        """SPIKY_SCALE * softmax(u)."""
        return SPIKY_SCALE * u.softmax(-1)


FEATURE_MAPS: dict[MapName, type[TemperedMap | ProjectedFeatures]] = {
    "random": RandomFeatures,
    "positive": PositiveFeatures,
    "learned": LearnedFeatures,
    "spiky": SpikyFeatures,
}
