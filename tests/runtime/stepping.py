"""The small operations of a decoding step, as kernels and in plain torch."""

from __future__ import annotations

import torch
from torch import nn

from longways.runtime.step_kernels import Linear, best_tokens


def norm_error(rows: int, dim: int, dtype: torch.dtype, device: str = "cpu") -> tuple[float, float]:
    """How far the sum and its norm are from those of torch in float64."""
    from longways.runtime.triton_step import add_norm_fused

    torch.manual_seed(rows)
    x, update = torch.randn(2, rows, dim, device=device).to(dtype)
    norm = nn.LayerNorm(dim, device=device)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    norm = norm.to(dtype)
    total, normed = add_norm_fused(x, update, norm.weight, norm.bias, norm.eps)
    exact = x.double() + update.double()
    wanted = norm.double()(total.double())
    return (total - exact).abs().max().item(), (normed - wanted).abs().max().item()


def best_errors(
    rows: int, words: int, candidates: int, dtype: torch.dtype, device: str = "cpu"
) -> tuple[float, bool]:
    """How far the best log-probabilities are from those of torch, and whether ids are right."""
    from longways.runtime.triton_step import best_tokens_fused

    torch.manual_seed(words)
    logits = (3 * torch.randn(rows, words, device=device)).to(dtype)
    forbidden = torch.tensor([0, 1, 4], device=device)
    values, ids = best_tokens_fused(logits, candidates, forbidden)
    exact, wanted = best_tokens(logits.double(), candidates, forbidden)
    if dtype == torch.float32:
        return (values - exact).abs().max().item(), torch.equal(ids, wanted)
    scores = logits.double().log_softmax(-1).gather(1, ids)  # equal logits may change places
    distinct = all(len(set(row)) == candidates for row in ids.tolist())
    return (values - scores).abs().max().item(), distinct and torch.allclose(scores, exact)


def norm_linear_errors(
    rows: int, outputs: int, updated: bool, bent: bool, dtype: torch.dtype, device: str = "cpu"
) -> tuple[float, ...]:
    """How far the sum, its norm and the product are from those of torch in float64."""
    from longways.runtime.triton_linear import norm_linear_fused

    torch.manual_seed(rows + outputs)
    x, update = torch.randn(2, rows, 64, device=device).to(dtype)
    norm, layer = nn.LayerNorm(64, device=device), nn.Linear(64, outputs, device=device)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    norm, product = (
        norm.to(dtype),
        Linear(*(p.detach() for p in layer.to(dtype).parameters()), bent),
    )
    found = norm_linear_fused(x, update if updated else None, norm, product)
    total = x.double() + update.double() * updated
    normed = norm.double()(found[0].double())
    exact = Linear(product.weight.double(), product.bias.double(), bent)(found[1].double())
    wanted = total, normed, exact
    return tuple((one - other).abs().max().item() for one, other in zip(found, wanted, strict=True))
