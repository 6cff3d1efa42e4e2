"""Random windows for attention tests: features, values, gates, ragged padding.

B batch, H heads, T tokens, D features, E head size, K projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import get_args

import torch
from torch import Tensor

from longways.attention.config import GateName, MapName
from longways.attention.features import FEATURE_MAPS
from longways.attention.gate import gate_window, hide_padding
from longways.attention.state import GateState

B, H, E, K = 3, 2, 8, 12
GATES: tuple[GateName, ...] = get_args(GateName)
MAPS: tuple[MapName, ...] = get_args(MapName)
LENGTHS = (1, 2, 17, 63, 64, 65, 200)  # around the chunk of 64, on purpose
EVERY_KIND = [*product(GATES, MAPS)]


@dataclass(frozen=True)
class Window:
    phi_q: Tensor  # (B, H, T, D)
    phi_k: Tensor  # (B, H, T, D)
    v: Tensor  # (B, H, T, E)
    keep: Tensor  # (B, H, T)
    write: Tensor  # (B, H, T)
    lengths: Tensor  # (B,)
    leaves: tuple[Tensor, ...]  # q, k, v and f, to differentiate by

    @property
    def inputs(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        return self.phi_q, self.phi_k, self.v, self.keep, self.write

    @property
    def mask(self) -> Tensor:
        return torch.arange(self.v.shape[2], device=self.v.device) < self.lengths[:, None]

    def cut(self, start: int, end: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        q, k, v, keep, write = (x[:, :, start:end] for x in self.inputs)
        return q, k, v, keep, write


def random_separators(lengths: Tensor, tokens: int) -> Tensor:
    """Between 0 and 6 separators a row, anywhere in its real tokens."""
    separators = torch.zeros(len(lengths), tokens, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        wanted = int(torch.randint(0, 7, ()))
        separators[row, torch.randperm(length)[:wanted]] = True
    return separators


def random_window(
    gate: GateName,
    feature_map: MapName,
    tokens: int,
    dtype: torch.dtype = torch.float64,
    device: str = "cpu",
    seed: int = 0,
) -> Window:
    """A ragged batch: the first row full, the others any length from 1 on."""
    torch.manual_seed(seed)
    phi = FEATURE_MAPS[feature_map](H, E, K, tau=0.8).to(dtype)
    W = torch.randn(H, K, E, dtype=dtype)
    lengths = torch.randint(1, tokens + 1, (B,))
    lengths[0] = tokens
    q, k, v = (torch.randn(B, H, tokens, E, dtype=dtype) for _ in range(3))
    f = torch.rand(B, H, tokens, dtype=dtype) * 0.9 + 0.05
    separators = random_separators(lengths, tokens)
    q, k, v, f = leaves = tuple(x.to(device).requires_grad_() for x in (q, k, v, f))
    phi, W, lengths, separators = (x.to(device) for x in (phi, W, lengths, separators))
    mask = torch.arange(tokens, device=device) < lengths[:, None]
    past = GateState.open(B, H, like=v)
    keep = write = torch.ones(B, H, tokens + 1, dtype=dtype, device=device)
    if gate != "none":
        keep, write = gate_window(gate, f, separators, past)
    keep, write, _ = hide_padding(keep, write, mask)
    return Window(phi(q, W), phi(k, W), v, keep, write, lengths, leaves)


def relative_error(found: Tensor, wanted: Tensor, least: float = 1e-30) -> float:
    """The largest difference, as a share of the largest number, or of the least that counts."""
    scale = wanted.abs().max().clamp_min(least)
    return float(((found - wanted).abs().max() / scale).item())
