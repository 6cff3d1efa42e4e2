"""Feature maps as the decode kernels take them, and which inputs those kernels serve.

H heads, E head size, K projections.

A map is a projection u of the input and one or two functions of u, so that D is K or 2 K. `random`
(sines and cosines) and `positive` (FAVOR+) are projected by the kernels. `learned` (T2R) and
`spiky` are projected before: that product and the one that gives queries and keys can be one.
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
    ProjectedFeatures,
    RandomFeatures,
    TemperedMap,
)
from longways.attention.rfa.constants import (
    FEATURE_SCALE,
    MOST_FEATURES,
    NORM_EPSILON,
    SPIKY_SCALE,
)
from longways.attention.rfa.shapes import padded
from longways.errors import ShapeError

_TRITON = find_spec("triton") is not None


@dataclass(frozen=True)
class FusedMap:
    """One feature map as kernels take it."""

    name: MapName
    heads: int
    projections: int
    W: Tensor | None = None  # (H, K, E)  float32, contiguous; None: queries and keys come projected
    tau: Tensor | None = None  # (H,)  where there is W

    @property
    def features(self) -> int:
        """D, what one head's query or key becomes."""
        return self.projections if self.W is None else 2 * self.projections

    @property
    def constants(self) -> dict[str, Any]:
        """What every kernel is compiled for."""
        return {
            "MAP": self.name,
            "PROJECTED": self.W is None,
            "SCALE": SPIKY_SCALE if self.name == "spiky" else FEATURE_SCALE,
            "EPSILON": NORM_EPSILON,
            "K": self.projections,
            "PADDED_K": padded(self.projections),
        }

    def numbers(self, like: Tensor) -> tuple[Tensor, Tensor]:
        """W and tau; where there are none, another tensor stands in that is never read."""
        return (like if self.W is None else self.W), (like if self.tau is None else self.tau)


def fused_map(phi: FeatureMap, W: Tensor | None) -> FusedMap:
    """What kernels need of `phi`, and of W (H, K, E) if they come from a pool."""
    if isinstance(phi, ProjectedFeatures):
        name: MapName = "learned" if isinstance(phi, LearnedFeatures) else "spiky"
        heads, projections = phi.bias.shape
        return FusedMap(name, heads, projections)
    assert isinstance(phi, TemperedMap), "a map that no kernel knows"
    assert W is not None, "a random feature map needs the matrices of a pool"
    name = "random" if isinstance(phi, RandomFeatures) else "positive"
    return FusedMap(name, W.shape[0], W.shape[1], _plain(W), _plain(phi.tau))


def fused_inputs(
    phi: FeatureMap | FusedMap, W: Tensor | None, *inputs: Tensor
) -> tuple[FusedMap, list[Tensor]]:
    """The map, and queries or keys (B, H, T, E) or (R, H, E) as its kernels take them."""
    fused = phi if isinstance(phi, FusedMap) else fused_map(phi, W)
    if isinstance(phi, ProjectedFeatures):
        return fused, [phi.projections(_apart(x)).view(*x.shape[:-1], -1) for x in inputs]
    return fused, list(inputs)


def decodes_fused(x: Tensor, head_dim: int) -> bool:
    """Whether the decode kernels take inputs like x: on a GPU that Triton knows, heads not wide."""
    return _TRITON and x.is_cuda and head_dim <= MOST_FEATURES and x.dtype != torch.float64


def check_map(x: Tensor, layout: str, fused: FusedMap) -> None:
    """Queries or keys that this map can take; `layout` names their axes, (R, H, E) say."""
    wanted = fused.heads, fused.projections if fused.W is None else fused.W.shape[2]
    if x.ndim != layout.count(",") + 1 or (x.shape[1], x.shape[-1]) != wanted:
        raise ShapeError(
            f"q has shape {tuple(x.shape)}, but the map takes {wanted[0]} heads of {wanted[1]} "
            f"numbers: it must be {layout}."
        )
    if x.dtype == torch.float64:
        raise ShapeError(
            f"q is in {x.dtype}, but the decode kernels take float32 or less; the plain step in "
            "`rfa.decode` takes any."
        )


def check_head(head_dim: int) -> None:
    """Heads that fit the registers of a kernel."""
    if head_dim > MOST_FEATURES:
        raise ShapeError(
            f"The head size is {head_dim}, but the decode kernels take at most {MOST_FEATURES}; "
            "the plain step in `rfa.decode` takes any."
        )


def in_rows(x: Tensor) -> Tensor:
    """x with its last axis contiguous, copied only if it must be."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _apart(x: Tensor) -> Tensor:
    return x if x.ndim == 4 else x[:, :, None]


def _plain(x: Tensor) -> Tensor:
    return x.detach().float().contiguous()
