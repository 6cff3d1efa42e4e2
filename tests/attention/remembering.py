"""Sources summed up by the kernel and in plain torch."""

from __future__ import annotations

import torch

from longways.attention.features import FEATURE_MAPS
from longways.attention.kernels.fused_map import fused_map
from longways.attention.rfa.cross import EXTRA_COLUMNS, _remember

WINDOWS, HEADS = 2, 3


def remember_error(
    name: str,
    tokens: int,
    projections: int,
    head_dim: int,
    padded: bool,
    dtype: torch.dtype,
    device: str = "cpu",
) -> float:
    """How far the kernel is from torch in float64, as a part of the greatest number."""
    from longways.attention.kernels.cross_summary import remember_fused

    torch.manual_seed(tokens)
    phi = FEATURE_MAPS[name](HEADS, head_dim, projections, 1.0)
    joint = torch.randn(WINDOWS, tokens, HEADS * (projections + head_dim)).to(device, dtype)
    u, v = (
        part.unflatten(-1, (HEADS, -1)).transpose(1, 2)  # as the joint product leaves them
        for part in joint.split([HEADS * projections, HEADS * head_dim], -1)
    )
    mask = torch.arange(tokens, device=device) < torch.tensor([[tokens], [tokens // 2 + 1]]).to(
        u.device
    )
    sums = remember_fused(u, v, fused_map(phi), mask if padded else None).sums.double()
    written = phi.activate(u.double()).to(dtype).double()
    wanted = _remember(written * mask[:, None, :, None] if padded else written, v.double())
    assert not sums[..., 1 - EXTRA_COLUMNS :].any()
    found = torch.cat([sums[..., :-EXTRA_COLUMNS], sums[..., -EXTRA_COLUMNS, None]], -1)
    exact = torch.cat([wanted.S, wanted.z[..., None]], -1)
    return ((found - exact).abs().max() / exact.abs().max()).item()
