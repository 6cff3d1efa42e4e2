"""Error of random features as an estimate of exp(x . y): it falls as 1 / sqrt(K)."""

from __future__ import annotations

import torch

from longways.attention.features import PositiveFeatures, RandomFeatures
from longways.attention.random_matrices import MatrixPool
from longways.results import Report, report

HEADS, HEAD_DIM, PAIRS, DRAWS = 1, 64, 2048, 64
INPUT_LENGTH = 1e6
"""Length of the inputs, so large that x / (|x| + eps) is a unit vector up to rounding."""


def feature_error(kind: type[RandomFeatures | PositiveFeatures], K: int) -> float:
    """Root mean square error of phi(x) . phi(y) * scale against exp(x . y)."""
    phi = kind(HEADS, HEAD_DIM, K, tau=1.0).double()
    pool = MatrixPool(
        layers=1, heads=HEADS, projection=K, head_dim=HEAD_DIM, size=DRAWS, seed=K,
        orthogonal=bool(kind.orthogonal),
    )  # fmt: skip
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 1, 1, PAIRS, HEAD_DIM, dtype=torch.float64, generator=generator)
    x, y = (v / v.norm(dim=-1, keepdim=True) for v in (x, y))
    exact = (x * y).sum(-1).exp()
    errors = [
        (phi(INPUT_LENGTH * x, W) * phi(INPUT_LENGTH * y, W)).sum(-1) * phi.exp_scale(K) - exact
        for W in pool.matrices.double()[:, None]
    ]
    return torch.stack(errors).square().mean().sqrt().item()


def measure() -> Report:
    """The table for K = 32 ... 1024, both random maps."""
    rows = []
    with torch.no_grad():
        for K in (32, 64, 128, 256, 512, 1024):
            random, positive = feature_error(RandomFeatures, K), feature_error(PositiveFeatures, K)
            rows.append(
                {
                    "K": K,
                    "random: error": round(random, 4),
                    "x sqrt(K)": round(random * K**0.5, 2),
                    "positive: error": round(positive, 4),
                    "x sqrt(K) ": round(positive * K**0.5, 2),
                }
            )
    settings = {"head_dim": HEAD_DIM, "pairs": PAIRS, "draws": DRAWS, "tau": 1.0}
    claim = "Error of phi(x).phi(y) against exp(x.y) on unit vectors falls as 1/sqrt(K)"
    return report("features", claim, settings, rows, "cpu")
