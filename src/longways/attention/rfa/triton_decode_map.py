"""Feature maps as the decode kernels take them, and which inputs those kernels serve.

H heads, E head size, K projections.

All three maps are fused: `random` (sines and cosines), `positive` (FAVOR+) and `learned` (T2R).
Each is a projection u of the input and one or two functions of u, so that D is K or 2 K.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from longways.attention.config import MapName
from longways.attention.features import (
    FeatureMap,
    LearnedFeatures,
    PositiveFeatures,
    RandomFeatures,
)
from longways.attention.rfa.constants import FEATURE_SCALE, MOST_FEATURES, NORM_EPSILON
from longways.errors import ShapeError

_TRITON = find_spec("triton") is not None


@dataclass(frozen=True)
class FusedMap:
    """The numbers of one feature map. Where a map has no tau or no bias, the other stands in."""

    name: MapName
    W: Tensor  # (H, K, E)  float32, contiguous
    tau: Tensor  # (H,)
    bias: Tensor  # (H, K)

    @property
    def features(self) -> int:
        """D, what one head's query or key becomes."""
        projections = self.W.shape[1]
        return projections if self.name == "learned" else 2 * projections

    @property
    def constants(self) -> dict[str, Any]:
        """What every kernel is compiled for."""
        _, K, E = self.W.shape
        return {"MAP": self.name, "SCALE": FEATURE_SCALE, "EPSILON": NORM_EPSILON, "K": K, "E": E}


def fused_map(phi: FeatureMap, W: Tensor | None) -> FusedMap:
    """The numbers of `phi`; W (H, K, E) come from a pool, or from a learned map itself."""
    if isinstance(phi, LearnedFeatures):
        bias = _plain(phi.bias)
        return FusedMap("learned", _plain(phi.weight), bias, bias)
    assert isinstance(phi, RandomFeatures | PositiveFeatures), "a map that no kernel knows"
    assert W is not None, "a random feature map needs the matrices of a pool"
    tau = _plain(phi.tau)
    return FusedMap(
        "random" if isinstance(phi, RandomFeatures) else "positive", _plain(W), tau, tau
    )


def decodes_fused(x: Tensor) -> bool:
    """Whether the decode kernels take queries like x: on a GPU that Triton knows, not too wide."""
    narrow = x.shape[-1] <= MOST_FEATURES and x.dtype != torch.float64
    return _TRITON and x.is_cuda and narrow


def check_map(x: Tensor, layout: str, fused: FusedMap) -> None:
    """Queries or keys that this map can project; `layout` names their axes, (R, H, E) say."""
    heads, _, head_dim = fused.W.shape
    if x.ndim != layout.count(",") + 1 or (x.shape[1], x.shape[-1]) != (heads, head_dim):
        raise ShapeError(
            f"q has shape {tuple(x.shape)}, but W has {tuple(fused.W.shape)}: "
            f"they must be {layout} and (H, K, E)."
        )
    if head_dim > MOST_FEATURES or x.dtype == torch.float64:
        raise ShapeError(
            f"q has a head size of {head_dim} in {x.dtype}, but the decode kernels take at most "
            f"{MOST_FEATURES} in float32 or less; the plain step in `rfa.decode` takes any."
        )


def in_rows(x: Tensor) -> Tensor:
    """x with its last axis contiguous, copied only if it must be."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _plain(x: Tensor) -> Tensor:
    return x.detach().float().contiguous()
