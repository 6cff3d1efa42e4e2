"""Feature maps as the decode kernels take them, and which inputs those kernels serve.

H heads, E head size, K projections.

A map is a projection u of the input and one or two functions of u, so that D is K or 2 K. Kernels
are given u: the product that projects, and the one that gives queries and keys, are one (see
`attention.folding`). Of `random` (sines and cosines) and `positive` (FAVOR+) they are given W x and
x, for which u = W x / ((|x| + eps) tau); of `learned` (T2R) and `spiky`, u itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from longways.attention.config import MapName
from longways.attention.features import (
    NO_POOL,
    FeatureMap,
    LearnedFeatures,
    ProjectedFeatures,
    RandomFeatures,
    TemperedMap,
)
from longways.attention.fused_projection import project
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
    tau: Tensor | None = None  # (H,)  float32, of the random maps

    @property
    def features(self) -> int:
        """D, what one head's query or key becomes."""
        return self.projections * (1 if self.tau is None else 2)

    def inputs(self, head_dim: int) -> int:
        """Numbers of one head's query or key: its projections, and itself if its length counts."""
        return self.projections + (0 if self.tau is None else head_dim)

    @property
    def scale(self) -> float:
        """What all features are multiplied by."""
        return SPIKY_SCALE if self.name == "spiky" else FEATURE_SCALE

    @property
    def constants(self) -> dict[str, Any]:
        """What every kernel is compiled for."""
        return {
            "MAP": self.name,
            "TEMPERED": self.tau is not None,
            "SCALE": self.scale,
            "EPSILON": NORM_EPSILON,
            "K": self.projections,
            "PADDED_K": padded(self.projections),
        }

    def numbers(self, like: Tensor) -> Tensor:
        """tau; where there is none, another tensor stands in that is never read."""
        return like if self.tau is None else self.tau


def fused_map(phi: FeatureMap) -> FusedMap:
    """What kernels need of `phi`."""
    if isinstance(phi, ProjectedFeatures):
        name: MapName = "learned" if isinstance(phi, LearnedFeatures) else "spiky"
        return FusedMap(name, *phi.bias.shape)
    assert isinstance(phi, TemperedMap), "a map that no kernel knows"
    name = "random" if isinstance(phi, RandomFeatures) else "positive"
    tau = phi.tau.detach().float().contiguous()
    return FusedMap(name, len(tau), phi.features // 2, tau)


def fused_inputs(
    phi: FeatureMap | FusedMap, W: Tensor | None, *inputs: Tensor
) -> tuple[FusedMap, list[Tensor]]:
    """The map, and queries or keys (B, H, T, E) or (R, H, E) as its kernels take them.

    Of a `FusedMap` they come so already.
    """
    if isinstance(phi, FusedMap):
        return phi, list(inputs)
    for x in inputs:
        _check_heads(x, phi, W)
    projected = [project(phi, W, x if x.ndim == 4 else x[:, :, None]) for x in inputs]
    return fused_map(phi), [
        u.view(*x.shape[:-1], u.shape[-1]) for u, x in zip(projected, inputs, strict=True)
    ]


def decodes_fused(x: Tensor, head_dim: int) -> bool:
    """Whether the decode kernels take inputs like x: on a GPU that Triton knows, heads not wide."""
    return _TRITON and x.is_cuda and head_dim <= MOST_FEATURES and x.dtype != torch.float64


def check_map(x: Tensor, layout: str, fused: FusedMap, head_dim: int) -> None:
    """Queries or keys that this map can take; `layout` names their axes, (R, H, N) say."""
    wanted = fused.heads, fused.inputs(head_dim)
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


def _check_heads(x: Tensor, phi: FeatureMap, W: Tensor | None) -> None:
    weight = phi.weight if isinstance(phi, ProjectedFeatures) else W
    assert weight is not None, NO_POOL
    wanted = weight.shape[0], weight.shape[2]
    if (x.shape[1], x.shape[-1]) != wanted:
        raise ShapeError(
            f"A query or key has shape {tuple(x.shape)}, but the map takes {wanted[0]} heads of "
            f"{wanted[1]} numbers."
        )


def in_rows(x: Tensor) -> Tensor:
    """x with its last axis contiguous, copied only if it must be."""
    return x if x.stride(-1) == 1 else x.contiguous()
