"""Operations of a decoding step around its attention, as fused kernels where Triton serves.

R rows (windows x beams), d model size, N outputs of a matmul.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, pad

from longways.model.config import Activation
from longways.model.sublayer import ACTIVATIONS

_TRITON = find_spec("triton") is not None

FUSED_LINEAR_MAX_ROWS = 256
"""Most rows for our own matmul kernels: up to here a matmul is bound by loading its weights."""

ALIGNED_OUTPUTS = 16
"""Outputs that fill a multiple of 16 bytes in every precision."""


@dataclass(frozen=True)
class Linear:
    """A matmul with weights and bias, followed by an activation if one is named."""

    weight: Tensor  # (N, d)
    bias: Tensor | None  # (N,)
    activation: Activation | None = None

    @staticmethod
    def of(*parts: nn.Linear | Linear) -> Linear:
        """Several layers with the same input, concatenated to one."""
        biases = [part.bias for part in parts if part.bias is not None]
        assert len(biases) == len(parts), "a layer without a bias"
        weight = torch.cat([part.weight for part in parts])
        return Linear(weight.detach(), torch.cat(biases).detach())

    def aligned(self) -> Linear:
        """The same with outputs of 0 at the end, up to a multiple of 16.

        Parts of its output are then views whose rows begin at multiples of 16 bytes, as PyTorch's
        attention kernels need; these check the rows' strides within a batch, not between batches.
        """
        assert self.bias is not None, "a layer without a bias"
        more = -len(self.weight) % ALIGNED_OUTPUTS
        weight, bias = pad(self.weight, (0, 0, 0, more)), pad(self.bias, (0, more))
        return Linear(weight, bias, self.activation)

    def __call__(self, x: Tensor) -> Tensor:
        """(R, d) -> (R, N)."""
        out = linear(x, self.weight, self.bias)
        return ACTIVATIONS[self.activation](out) if self.activation else out


def norms_between(norms: Sequence[nn.LayerNorm], last: nn.Module) -> list[nn.LayerNorm | None]:
    """The norm before each sublayer, and the norm after the last one.

    A pre-norm stack ends with the norm `last`. In a post-norm stack each sublayer starts after the
    norm of the sublayer before it, and the first sublayer after none.
    """
    return [*norms, last] if isinstance(last, nn.LayerNorm) else [None, *norms]


def norm_linear(
    x: Tensor, update: Tensor | None, norm: nn.LayerNorm, layer: Linear, *, late_launch: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """x + update (R, d), its layer norm, and the output (R, N) of a linear layer after the norm.

    With `late_launch` the next kernel starts only when all kernels before this one have ended (see
    `kernels.dependent_launch`).
    """
    if fused_linear_serves(x) and norm_can_be_fused(x, layer):
        from longways.decoding.gpu.kernels.linear import norm_linear_fused

        total = x if update is None else x + update
        return total, *norm_linear_fused(total, norm, layer, late_launch=late_launch)
    total, normed = add_norm(x, update, norm)
    return total, normed, layer(normed)


def linear_add(x: Tensor, hidden: Tensor, layer: Linear) -> tuple[Tensor, Tensor | None]:
    """The residual x (R, d) and the output of a linear layer for `hidden` (R, N).

    A fused kernel returns their sum and None; otherwise the next norm adds the two.
    """
    if fused_linear_serves(x) and layer.bias is not None:
        from longways.decoding.gpu.kernels.linear import linear_add_fused

        return linear_add_fused(hidden, layer, x), None
    return x, layer(hidden)


def append(keys: Tensor, values: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> None:
    """Write k and v (R, H, E) at the positions (R,) of a cache (R, H, N, E)."""
    if triton_serves(keys) and k.stride(1) == v.stride(1) == k.shape[2]:
        from longways.decoding.gpu.kernels.cache_append import append_fused

        append_fused(keys, values, k, v, positions)
        return
    rows = torch.arange(len(k), device=k.device)
    keys[rows, :, positions] = k.to(keys.dtype)
    values[rows, :, positions] = v.to(values.dtype)


def add_norm(x: Tensor, update: Tensor | None, norm: nn.LayerNorm) -> tuple[Tensor, Tensor]:
    """x + update (R, d), or x without an update, and its layer norm."""
    total = x if update is None else x + update
    return total, norm(total)


def triton_serves(x: Tensor) -> bool:
    """Whether Triton kernels take this tensor: on a GPU, and not in float64."""
    return _TRITON and x.is_cuda and x.dtype != torch.float64


def fused_linear_serves(x: Tensor) -> bool:
    """Whether our own matmul kernels serve: few rows in half precision."""
    return triton_serves(x) and x.dtype != torch.float32 and len(x) <= FUSED_LINEAR_MAX_ROWS


def norm_can_be_fused(x: Tensor, layer: Linear) -> bool:
    """Whether one kernel computes norm and matmul: d is a power of two and fits in registers."""
    dim = x.shape[1]
    return 16 <= dim <= 1024 and dim & (dim - 1) == 0 and layer.bias is not None
