"""The Triton form of causal RFA equals the parallel form; here it is interpreted on the CPU."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from longways.attention.config import GateName
from longways.attention.rfa import MIN_NORM
from longways.errors import ShapeError
from tests.attention.kernel_inputs import Errors, causal_errors
from tests.attention.windows import GATES, random_window

# Around the blocks of 16 and 32 tokens in float32, and several blocks.
CASES: list[tuple[GateName, int]] = [
    *((gate, tokens) for gate in GATES for tokens in (2, 17)),
    ("none", 1),
    ("average", 63),
    ("average", 64),
    ("decay", 65),
    ("average", 130),
]


def window(gate: GateName, tokens: int, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    phi_q, phi_k, v, keep, write = random_window(gate, "random", tokens, seed=tokens).inputs
    return [*(x.detach().to(dtype) for x in (phi_q, phi_k, v)), keep.float(), write.float()]


def of_window(gate: GateName, tokens: int, dtype: torch.dtype) -> Errors:
    return causal_errors(*window(gate, tokens, dtype))


@pytest.mark.parametrize(("gate", "tokens"), CASES)
def test_values_and_gradients_equal_the_parallel_form(interpreted, gate, tokens):
    errors = interpreted(of_window, gate, tokens, torch.float32)
    assert max(errors.values()) < 1e-5, errors


@pytest.mark.parametrize(("gate", "tokens"), [("average", 20), ("decay", 70)])
def test_half_precision_is_summed_in_float32(interpreted, gate, tokens):
    errors = interpreted(of_window, gate, tokens, torch.float16)
    assert max(errors.values()) < 2e-3, errors


def of_odd_sizes(features: int, head_dim: int) -> Errors:
    torch.manual_seed(0)
    phi_q, phi_k = 0.3 * torch.randn(2, 2, 1, 35, features) + 0.2
    keep, write = torch.rand(2, 2, 1, 35) * 0.8 + 0.1
    return causal_errors(phi_q, phi_k, torch.randn(2, 1, 35, head_dim), keep, write)


@pytest.mark.parametrize(("features", "head_dim"), [(1, 1), (7, 20), (40, 33), (128, 3)])
def test_features_and_heads_need_not_be_powers_of_two(interpreted, features, head_dim):
    errors = interpreted(of_odd_sizes, features, head_dim)
    assert max(errors.values()) < 1e-5, errors


def heads_last(x: Tensor) -> Tensor:
    """x (B, H, ...) laid out in memory as (B, T, H, ...), as a linear layer gives it."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def of_views() -> list[Errors]:
    inputs = window("average", 40)
    turned = [heads_last(x) for x in inputs]
    sizes_first = [x.mT.contiguous().mT for x in inputs[:3]] + inputs[3:]
    parts = [torch.cat([x, x], -1)[..., : x.shape[-1]] for x in inputs[:3]] + inputs[3:]
    return [causal_errors(*views) for views in (turned, sizes_first, parts)]


def test_inputs_may_be_views(interpreted):
    for errors in interpreted(of_views):
        assert max(errors.values()) < 1e-5, errors


def of_a_gate_that_forgets_everything() -> Errors:
    phi_q, phi_k, v, keep, write = window("none", 70)
    keep[..., 10], keep[..., 31:34] = 0.0, 0.0
    return causal_errors(phi_q, phi_k, v, keep, write)


def test_a_gate_of_zero_equals_the_parallel_form(interpreted):
    errors = interpreted(of_a_gate_that_forgets_everything)
    del errors["keep"]  # at MIN_KEEP rounding errors are multiplied by 1e30
    assert max(errors.values()) < 1e-5, errors


def below_the_floor() -> tuple[float, list[float]]:
    from longways.attention.kernels.causal import rfa_triton

    phi, v = torch.full((1, 1, 1, 1), 0.1), torch.full((1, 1, 1, 1), 2.0)
    one = torch.ones(1, 1, 1)
    inputs = [x.clone().requires_grad_() for x in (phi, phi, v, one, one)]
    out = rfa_triton(*inputs)
    return out.item(), [g.item() for g in torch.autograd.grad(out.sum(), inputs)]


def test_a_norm_below_the_floor_is_raised_to_it_and_gets_no_gradient(interpreted):
    out, gradients = interpreted(below_the_floor)
    assert out == pytest.approx(0.01 * 2.0 / MIN_NORM)
    # out = phi_q phi_k write v / MIN_NORM; the only token has no past to keep.
    assert gradients == pytest.approx([2.0, 2.0, 0.1, 0.0, 0.2])


def compiled_matches() -> float:
    from longways.attention.kernels.causal import rfa_triton

    inputs = [x.requires_grad_() for x in window("decay", 20)]
    results = []
    for form in (rfa_triton, torch.compile(rfa_triton, backend="aot_eager", fullgraph=True)):
        out = form(*inputs)
        results.append([out, *torch.autograd.grad(out.square().sum(), inputs)])
    return max(float((a - b).abs().max()) for a, b in zip(*results, strict=True))


def test_torch_compile_has_no_graph_break(interpreted):
    assert interpreted(compiled_matches) < 1e-6


def check_operators() -> None:
    from longways.attention.kernels import causal

    phi_q, phi_k, v, keep, write = (x.requires_grad_() for x in window("decay", 5))
    c = keep.log().cumsum(-1).detach().requires_grad_()
    torch.library.opcheck(causal._causal, (phi_q, phi_k, heads_last(v), c, write))


def test_the_operators_pass_torchs_opcheck(interpreted):
    interpreted(check_operators)


def without_tokens() -> tuple[int, ...]:
    from longways.attention.kernels.causal import rfa_triton

    inputs = [x[:, :, :0].requires_grad_() for x in window("decay", 5)]
    out = rfa_triton(*inputs)
    out.sum().backward()
    return tuple(out.shape)


def test_no_tokens_give_no_output(interpreted):
    assert interpreted(without_tokens) == (3, 2, 0, 8)


def refused(features: int, dtype: torch.dtype) -> None:
    from longways.attention.kernels.causal import rfa_triton

    phi, one = torch.zeros(1, 1, 2, features, dtype=dtype), torch.ones(1, 1, 2)
    rfa_triton(phi, phi, phi[..., :8], one, one)


@pytest.mark.parametrize(
    ("features", "dtype", "words"),
    [(129, torch.float32, "at most 128"), (8, torch.float64, "input is float64")],
)
def test_unsupported_inputs_are_refused_with_a_reason(interpreted, features, dtype, words):
    with pytest.raises(ShapeError, match=words):
        interpreted(refused, features, dtype)
