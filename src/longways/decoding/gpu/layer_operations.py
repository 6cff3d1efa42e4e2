"""Operations of a decoding step around its attention, one kernel each where Triton serves.

R rows (windows x beams), d model size, N outputs of a product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear

_TRITON = find_spec("triton") is not None

FEW_ROWS = 256
"""Rows up to which a product waits for its weights, and a kernel of our own is as fast as any."""


@dataclass(frozen=True)
class Linear:
    """A product with weights, and a GELU after it if it has one."""

    weight: Tensor  # (N, d)
    bias: Tensor | None  # (N,)
    gelu: bool = False

    @staticmethod
    def of(*parts: nn.Linear | Linear) -> Linear:
        """Several that share an input, side by side."""
        biases = [part.bias for part in parts if part.bias is not None]
        assert len(biases) == len(parts), "a product without a bias"
        weight = torch.cat([part.weight for part in parts])
        return Linear(weight.detach(), torch.cat(biases).detach())

    def __call__(self, x: Tensor) -> Tensor:
        """(R, d) -> (R, N)."""
        out = linear(x, self.weight, self.bias)
        return gelu(out) if self.gelu else out


def norms_between(norms: Sequence[nn.LayerNorm], last: nn.Module) -> list[nn.LayerNorm | None]:
    """What stands before each sublayer, and at the end: its own norm, or that of the one before it.

    Stacks whose norms come first end with one more, the last.
    """
    return [*norms, last] if isinstance(last, nn.LayerNorm) else [None, *norms]


def norm_linear(
    x: Tensor, update: Tensor | None, norm: nn.LayerNorm, product: Linear, *, late: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """x + update (R, d), the same normalised, and the product of that (R, N).

    `late` says that what comes next starts only when all before this has ended (`triton_early`).
    """
    if few(x) and normed_in_one(x, product):
        from longways.decoding.gpu.kernels.linear import norm_linear_fused

        total = x if update is None else x + update
        return total, *norm_linear_fused(total, norm, product, late=late)
    total, normed = add_norm(x, update, norm)
    return total, normed, product(normed)


def linear_add(x: Tensor, hidden: Tensor, product: Linear) -> tuple[Tensor, Tensor | None]:
    """x (R, d) with the product of what a sublayer came to (R, N), or the two side by side.

    Of few rows the sum is made at once; of many, with the norm that comes next.
    """
    if few(x) and product.bias is not None:
        from longways.decoding.gpu.kernels.linear import linear_add_fused

        return linear_add_fused(hidden, product, x), None
    return x, product(hidden)


def append(keys: Tensor, values: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> None:
    """Write k and v (R, H, E) at the positions (R,) of a cache (R, H, N, E)."""
    if serves(keys) and k.stride(1) == v.stride(1) == k.shape[2]:
        from longways.decoding.gpu.kernels.cache_append import append_fused

        append_fused(keys, values, k, v, positions)
        return
    rows = torch.arange(len(k), device=k.device)
    keys[rows, :, positions] = k.to(keys.dtype)
    values[rows, :, positions] = v.to(values.dtype)


def add_norm(x: Tensor, update: Tensor | None, norm: nn.LayerNorm) -> tuple[Tensor, Tensor]:
    """x + update (R, d), if there is one, and the same normalised."""
    total = x if update is None else x + update
    return total, norm(total)


def serves(x: Tensor) -> bool:
    """Whether the kernels take this tensor: they compute in float32."""
    return _TRITON and x.is_cuda and x.dtype != torch.float64


def few(x: Tensor) -> bool:
    """Whether our own products serve: few rows in half precision."""
    return serves(x) and x.dtype != torch.float32 and len(x) <= FEW_ROWS


def normed_in_one(x: Tensor, product: Linear) -> bool:
    """Whether norm and product are one kernel: rows a power of two wide that fit in registers."""
    dim = x.shape[1]
    return 16 <= dim <= 1024 and dim & (dim - 1) == 0 and product.bias is not None
