"""The Triton kernel of random features equals `RandomFeatures`; here it is interpreted."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from longways.errors import ShapeError
from tests.attention.kernel_inputs import Errors, feature_errors

B, H = 2, 3
TAU = (0.4, 1.0, 1.7)


def random_inputs(tokens: int, K: int, E: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(tokens)
    x = 3 * torch.randn(B, tokens, H, E).transpose(1, 2)
    return x.to(dtype), torch.randn(H, K, E), torch.tensor(TAU)


def of_random_inputs(
    tokens: int, K: int, E: int, weighted: bool, x_dtype: torch.dtype, dtype: torch.dtype
) -> Errors:
    weight = torch.rand(B, H, tokens) if weighted else None
    return feature_errors(*random_inputs(tokens, K, E, x_dtype), dtype, weight)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("tokens", "K", "E"), [(1, 12, 8), (2, 33, 5), (17, 32, 64), (65, 12, 8), (130, 100, 20)]
)
def test_values_and_gradients_equal_the_module(interpreted, tokens, K, E, weighted):
    errors = interpreted(of_random_inputs, tokens, K, E, weighted, torch.float32, torch.float32)
    assert max(errors.values()) < 1e-5, errors


@pytest.mark.parametrize("x_dtype", [torch.float16, torch.float32])
def test_angles_are_float32_for_every_precision(interpreted, x_dtype):
    errors = interpreted(of_random_inputs, 70, 70, 64, True, x_dtype, torch.float16)
    assert max(errors.values()) < 1e-3, errors


def of_the_angles() -> float:
    from longways.attention.kernels.features import random_features

    x, W, tau = random_inputs(65, 32, 64, torch.float16)
    phi = random_features(x, W, tau, torch.float32)
    unit = x.double() / (x.double().norm(dim=-1, keepdim=True) + 1e-3)
    u = torch.einsum("bhte,hke->bhtk", unit, W.double()) / tau.double()[:, None, None]
    return float((phi - 0.1 * torch.cat([u.sin(), u.cos()], -1)).abs().max())


def test_half_precision_inputs_keep_the_angles_exact(interpreted):
    assert interpreted(of_the_angles) < 1e-6  # of features as large as 0.1


def of_views() -> list[Errors]:
    x, W, tau = random_inputs(9, 16, 8, torch.float32)
    views = (x.contiguous(), x.mT.contiguous().mT, torch.cat([x, x], -1)[..., :8])
    return [feature_errors(view, W, tau, torch.float32) for view in views]


def test_inputs_may_be_views(interpreted):
    for errors in interpreted(of_views):
        assert max(errors.values()) < 1e-5, errors


def gradient_of_zero() -> list[float]:
    from longways.attention.kernels.features import random_features

    x = torch.zeros(1, H, 1, 4, requires_grad=True)
    W, tau = torch.randn(H, 6, 4), torch.tensor(TAU, requires_grad=True)
    random_features(x, W, tau, torch.float32).sum().backward()
    assert x.grad is not None
    assert tau.grad is not None
    return [*x.grad.flatten().tolist(), *tau.grad.tolist()]


def test_a_zero_vector_has_a_finite_gradient(interpreted):
    assert torch.isfinite(torch.tensor(interpreted(gradient_of_zero))).all()


def compiled_matches() -> float:
    from longways.attention.kernels.features import random_features

    x, W, tau = random_inputs(9, 16, 8, torch.float32)
    weight = torch.rand(B, H, 9)
    inputs = [y.requires_grad_() for y in (x, tau, weight)]
    results = []
    compiled = torch.compile(random_features, backend="aot_eager", fullgraph=True)
    for features in (random_features, compiled):
        phi = features(x, W, tau, torch.float32, weight)
        results.append([phi, *torch.autograd.grad(phi.pow(3).sum(), inputs)])
    return max(float((a - b).abs().max()) for a, b in zip(*results, strict=True))


def test_torch_compile_has_no_graph_break(interpreted):
    assert interpreted(compiled_matches) < 1e-6


def check_operators() -> None:
    from longways.attention.kernels import features

    x, W, tau = random_inputs(9, 16, 8, torch.float32)
    weight = torch.rand(B, H, 9).requires_grad_()
    for given in (None, weight):
        arguments = x.requires_grad_(), W, tau.requires_grad_(), given, torch.float32
        torch.library.opcheck(features._features, arguments)


def test_the_operators_pass_torchs_opcheck(interpreted):
    interpreted(check_operators)


def refused(x_shape: tuple[int, ...], weight_shape: tuple[int, ...]) -> None:
    from longways.attention.kernels.features import random_features

    W, tau = torch.zeros(H, 6, x_shape[-1]), torch.ones(H)
    random_features(torch.zeros(x_shape), W, tau, torch.float32, torch.zeros(weight_shape))


@pytest.mark.parametrize(
    ("x_shape", "weight_shape", "words"),
    [
        ((1, 2, 5, 4), (1, 2, 5), "x has shape"),
        ((1, H, 5, 4), (1, H, 4), "weight has shape"),
        ((1, H, 5, 130), (1, H, 5), "at most 128"),
    ],
)
def test_unsupported_inputs_are_refused_with_a_reason(interpreted, x_shape, weight_shape, words):
    with pytest.raises(ShapeError, match=words):
        interpreted(refused, x_shape, weight_shape)
