"""How far the Triton kernels are from the reference, in values and in every gradient.

B batch, H heads, T tokens, D features, E head size, K projections.

The reference is computed in float64 from the very numbers the kernel gets. An error is a share of
the largest number, or of 0.1 where all are smaller: the first gate of a window has no effect.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from longways.attention.features import RandomFeatures
from longways.attention.rfa import rfa_parallel

Errors = dict[str, float]


def causal_errors(*inputs: Tensor) -> Errors:
    """Of `rfa_triton` and its gradients, by phi_q, phi_k, v, keep and write."""
    from longways.attention.kernels.causal import rfa_triton

    names = ("phi_q", "phi_k", "v", "keep", "write")
    return _errors(rfa_triton, rfa_parallel, dict(zip(names, inputs, strict=True)))


def feature_errors(
    x: Tensor, W: Tensor, tau: Tensor, dtype: torch.dtype, weight: Tensor | None = None
) -> Errors:
    """Of `random_features` and its gradients, by x, tau and weight."""
    from longways.attention.kernels.features import random_features

    phi = RandomFeatures(len(tau), x.shape[-1], W.shape[1], tau=1.0).to(x.device)

    def found(x: Tensor, tau: Tensor, weight: Tensor | None = None) -> Tensor:
        return random_features(x, W, tau, dtype, weight)

    def wanted(x: Tensor, tau: Tensor, weight: Tensor | None = None) -> Tensor:
        exact = torch.func.functional_call(phi, {"tau": tau}, (x, W.double()))
        return exact if weight is None else exact * weight[..., None]

    return _errors(
        found, wanted, {"x": x, "tau": tau} | ({} if weight is None else {"weight": weight})
    )


def _errors(
    kernel: Callable[..., Tensor], reference: Callable[..., Tensor], inputs: dict[str, Tensor]
) -> Errors:
    given = [x.detach().requires_grad_() for x in inputs.values()]
    exact = [x.detach().double().requires_grad_() for x in inputs.values()]
    found, wanted = kernel(*given), reference(*exact)
    torch.manual_seed(1)
    gradient = torch.randn(wanted.shape).to(found)
    results = [found, *torch.autograd.grad(found, given, gradient)]
    expected = [wanted, *torch.autograd.grad(wanted, exact, gradient.double())]
    return {
        name: ((a.double() - b).abs().max() / b.abs().max().clamp_min(0.1)).item()
        for name, a, b in zip(("output", *inputs), results, expected, strict=True)
    }
