"""Feature maps as arguments of the decode kernels, and the checks of their inputs.

H heads, E head size, K projections.

A map computes one or two functions of a projection u of its input, so that D is K or 2 K. The
projection is folded into the matmul of queries and keys (see `attention.fused_projection`). For the
maps `random` (sines and cosines) and `positive` (FAVOR+) kernels take W x and x, from which
u = W x / ((|x| + eps) tau); for `learned` (T2R) and `spiky` they take u itself.
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
    MAX_FUSED_FEATURES,
    NORM_EPSILON,
    SPIKY_SCALE,
)
from longways.attention.rfa.shapes import padded
from longways.errors import ShapeError

_TRITON = find_spec("triton") is not None


@dataclass(frozen=True)
class FusedMap:
    """A feature map as an argument of kernels."""

    name: MapName
    heads: int
    projections: int
    tau: Tensor | None = None  # (H,)  float32; None for trained maps

    @property
    def features(self) -> int:
        """D, the number of features per head."""
        return self.projections * (1 if self.tau is None else 2)

    def inputs(self, head_dim: int) -> int:
        """N, the size of one head's query or key: K, or K + E for maps that need its length."""
        return self.projections + (0 if self.tau is None else head_dim)

    @property
    def scale(self) -> float:
        """The factor of all features."""
        return SPIKY_SCALE if self.name == "spiky" else FEATURE_SCALE

    @property
    def constants(self) -> dict[str, Any]:
        """Compile-time constants of every kernel."""
        return {
            "MAP": self.name,
            "TEMPERED": self.tau is not None,
            "SCALE": self.scale,
            "EPSILON": NORM_EPSILON,
            "K": self.projections,
            "PADDED_K": padded(self.projections),
        }

    def tau_or(self, placeholder: Tensor) -> Tensor:
        """tau, or the placeholder, which kernels of trained maps never read."""
        return placeholder if self.tau is None else self.tau


def fused_map(phi: FeatureMap) -> FusedMap:
    """The `FusedMap` of a feature map."""
    if isinstance(phi, ProjectedFeatures):
        name: MapName = "learned" if isinstance(phi, LearnedFeatures) else "spiky"
        return FusedMap(name, *phi.bias.shape)
    assert isinstance(phi, TemperedMap), "no kernel supports this map"
    name = "random" if isinstance(phi, RandomFeatures) else "positive"
    tau = phi.tau.detach().float().contiguous()
    return FusedMap(name, len(tau), phi.features // 2, tau)


def fused_inputs(
    phi: FeatureMap | FusedMap, W: Tensor | None, *inputs: Tensor
) -> tuple[FusedMap, list[Tensor]]:
    """The fused map, and the projections of queries or keys (B, H, T, E) or (R, H, E).

    With a `FusedMap` the inputs are projections already.
    """
    if isinstance(phi, FusedMap):
        return phi, list(inputs)
    for x in inputs:
        _check_heads(x, phi, W)
    projected = [project(phi, W, x if x.ndim == 4 else x[:, :, None]) for x in inputs]
    return fused_map(phi), [
        u.view(*x.shape[:-1], u.shape[-1]) for u, x in zip(projected, inputs, strict=True)
    ]


def fused_decode_serves(x: Tensor, head_dim: int) -> bool:
    """Whether the decode kernels serve: x is on a GPU, not float64, and the heads are small."""
    return _TRITON and x.is_cuda and head_dim <= MAX_FUSED_FEATURES and x.dtype != torch.float64


def check_map(x: Tensor, layout: str, fused: FusedMap, head_dim: int) -> None:
    """Raise unless the map can take queries or keys x with axes `layout`, such as (R, H, N)."""
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
    """Raise unless heads of this size fit the registers of a kernel."""
    if head_dim > MAX_FUSED_FEATURES:
        raise ShapeError(
            f"The head size is {head_dim}, but the decode kernels take at most "
            f"{MAX_FUSED_FEATURES}; the plain step in `rfa.decode` takes any."
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
    """x with a contiguous last axis, copied only if necessary."""
    return x if x.stride(-1) == 1 else x.contiguous()
