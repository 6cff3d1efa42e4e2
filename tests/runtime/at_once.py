"""Attention of a step by one kernel, the norm and the product before it included, and in torch."""

from __future__ import annotations

import torch

from longways.attention.config import GateName
from longways.attention.features import FEATURE_MAPS
from longways.attention.folding import Folded
from longways.attention.rfa.cross import COLUMNS, JointSums
from longways.attention.rfa.decode import GateInput, decode_causal, decode_cross
from longways.attention.rfa.triton_decode_map import fused_map
from longways.attention.state import CausalRFAState, GateState, RFAState
from tests.attention.decoding import parts, state_of
from tests.runtime.stepping import in_double, random_norm, random_product

HEADS = 3


def norm_cross_errors(
    name: str,
    windows: int,
    beams: int,
    sizes: tuple[int, int, int],
    dtype: torch.dtype,
    device: str = "cpu",
) -> tuple[float, float]:
    """How far the norm and the read are from those of torch in float64.

    Sizes are those of the model, of a head, and of its features.
    """
    from longways.runtime.triton_norm_cross import norm_cross_fused

    torch.manual_seed(windows)
    dim, head_dim, features = sizes
    x = torch.randn(windows * beams, dim, device=device).to(dtype)
    norm, phi = random_norm(dim, dtype, device), FEATURE_MAPS[name](HEADS, head_dim, features, 1.0)
    queries = random_product(dim, HEADS * features, False, dtype, device)
    sums = torch.rand(windows, HEADS, features, head_dim + COLUMNS, device=device).to(dtype)
    normed, out = norm_cross_fused(x, norm, queries, fused_map(phi), JointSums(sums))
    exact = norm.double()(x.double())
    u = in_double(queries)(normed.double()).view(windows, beams, HEADS, features)
    memory = RFAState(sums[..., :-COLUMNS].double(), sums[..., -COLUMNS].double())
    read = decode_cross(u.transpose(1, 2), Folded(phi.to(device)), None, memory)
    wanted = read.transpose(1, 2).flatten(2).flatten(0, 1)
    return (normed - exact).abs().max().item(), (out - wanted).abs().max().item()


def norm_causal_errors(
    name: str,
    rows: int,
    reordered: bool,
    gate: GateName,
    sizes: tuple[int, int, int],
    dtype: torch.dtype,
    device: str = "cpu",
) -> dict[str, float]:
    """How far the norm, the read and the state are from those of torch in float64."""
    from longways.runtime.triton_norm_causal import norm_causal_fused

    torch.manual_seed(rows)
    dim, head_dim, features = sizes
    x = torch.randn(rows, dim, device=device).to(dtype)
    norm, phi = random_norm(dim, dtype, device), FEATURE_MAPS[name](HEADS, head_dim, features, 1.0)
    widths = [HEADS * n for n in (features, features, head_dim, int(gate != "none")) if n]
    joint = random_product(dim, sum(widths), False, dtype, device)
    past = random_state(rows, head_dim, features, device)
    exact = state_of(torch.Tensor.double, past)
    separators = torch.arange(rows, device=device) % 3 == 0
    parents = torch.arange(rows, device=device).flip(0) // 2 if reordered else None
    normed, out, after = norm_causal_fused(
        x, norm, joint, fused_map(phi), past, parents, (gate, separators), settled=True
    )
    y = in_double(joint)(normed.double()).split(widths, 1)
    q, k, v = (part.unflatten(1, (HEADS, -1)) for part in y[:3])
    given = GateInput(gate, y[3], separators) if gate != "none" else None
    wanted, state = decode_causal(q, k, v, Folded(phi.to(device)), None, exact, parents, given)
    found = {"normed": (normed, norm.double()(x.double())), "out": (out, wanted.flatten(1))}
    found |= {key: (parts(after)[key], parts(state)[key]) for key in parts(state)}
    return {key: (one - other).abs().max().item() for key, (one, other) in found.items()}


def random_state(rows: int, head_dim: int, features: int, device: str) -> CausalRFAState:
    """That of rows in the middle of a text."""
    S = torch.rand(rows, HEADS, features, head_dim, device=device)
    gate = GateState(*torch.rand(2, rows, HEADS, device=device).unbind())
    return CausalRFAState(RFAState(S, torch.rand_like(S[..., 0])), gate)
