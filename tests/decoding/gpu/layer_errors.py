"""Errors of the kernels around attention in a decoding step, against torch in float64."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn

from longways.attention.fused_projection import FusedProjection
from longways.attention.kernels.fused_map import fused_map
from longways.attention.rfa.decode import decode_cross
from longways.decoding.gpu.layer_operations import Linear
from longways.model.config import Activation
from tests.attention.decoding import Sizes, doubled_memory, random_memory
from tests.attention.windows import relative_error


def random_norm(dim: int, dtype: torch.dtype, device: str) -> nn.LayerNorm:
    """A layer norm with random weights."""
    norm = nn.LayerNorm(dim, device=device)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    return norm.to(dtype)


def norm_linear_errors(
    rows: int, outputs: int, activation: Activation | None, dtype: torch.dtype, device: str = "cpu"
) -> tuple[float, ...]:
    """Largest errors of a layer norm and of the linear layer after it."""
    from longways.decoding.gpu.kernels.linear import norm_linear_fused

    torch.manual_seed(rows + outputs)
    x, norm = torch.randn(rows, 64, device=device).to(dtype), random_norm(64, dtype, device)
    layer = random_linear(64, outputs, activation, dtype, device)
    normed, out = norm_linear_fused(x, norm, layer, late_launch=activation == "gelu")
    wanted = norm.double()(x.double())
    exact = in_double(layer)(normed.double())
    return (normed - wanted).abs().max().item(), (out - exact).abs().max().item()


def linear_add_error(
    rows: int, dim: int, outputs: int, dtype: torch.dtype, device: str = "cpu"
) -> float:
    """Largest error of a linear layer with a residual."""
    from longways.decoding.gpu.kernels.linear import linear_add_fused

    torch.manual_seed(rows + outputs)
    x, residual = (torch.randn(rows, n, device=device).to(dtype) for n in (dim, outputs))
    layer = random_linear(dim, outputs, None, dtype, device)
    out = linear_add_fused(x, layer, residual)
    exact = in_double(layer)(x.double()) + residual.double()
    return (out - exact).abs().max().item()


def norm_cross_errors(
    windows: int, beams: int, sizes: Sizes, dim: int = 64, half: torch.dtype | None = None
) -> tuple[float, ...]:
    """Largest errors of a layer norm and of the cross attention after it."""
    from longways.decoding.gpu.kernels.norm_cross import norm_cross_fused

    sizes = replace(sizes, rows=windows, beams=beams)
    _, phi, _, memory = random_memory(sizes, half)
    dtype, device = half or torch.float32, sizes.device
    x, norm = (
        torch.randn(windows * beams, dim, device=device).to(dtype),
        random_norm(dim, dtype, device),
    )
    query = random_linear(dim, sizes.heads * sizes.K, None, dtype, device)
    normed, out = norm_cross_fused(x, norm, query, fused_map(phi), memory)
    wanted = norm.double()(x.double())
    u = in_double(query)(normed.double()).to(dtype).double()  # rounded as in the kernel
    u = u.view(windows, beams, sizes.heads, -1).transpose(1, 2)
    exact = decode_cross(u, FusedProjection(phi.double()), None, doubled_memory(memory))
    out = out.view(windows, beams, sizes.heads, -1).transpose(1, 2)
    return (normed - wanted).abs().max().item(), relative_error(out.double(), exact)


def append_is_exact(dtype: torch.dtype, device: str = "cpu") -> bool:
    """Whether keys and values are written at their positions, and nowhere else."""
    from longways.decoding.gpu.kernels.cache_append import append_fused

    joint = torch.randn(5, 3 * 24, device=device).to(dtype)  # as one matmul gives q, k and v
    k, v = (joint[:, i * 24 : (i + 1) * 24].unflatten(1, (3, 8)) for i in (1, 2))
    keys, values = torch.randn(2, 5, 3, 11, 8, device=device).to(dtype)
    positions = torch.tensor([0, 10, 4, 4, 7], device=device)
    wanted = keys.clone(), values.clone()
    for cache, new in zip(wanted, (k, v), strict=True):
        cache[torch.arange(5), :, positions] = new
    append_fused(keys, values, k, v, positions)
    return torch.equal(keys, wanted[0]) and torch.equal(values, wanted[1])


def random_linear(
    dim: int, outputs: int, activation: Activation | None, dtype: torch.dtype, device: str
) -> Linear:
    """A linear layer with initial weights."""
    layer = nn.Linear(dim, outputs, device=device).to(dtype)
    return Linear(*(p.detach() for p in layer.parameters()), activation)


def in_double(layer: Linear) -> Linear:
    """The same layer in float64."""
    assert layer.bias is not None
    return Linear(layer.weight.double(), layer.bias.double(), layer.activation)
