"""Feature maps estimate the exponential kernel, or learn their own."""

import pytest
import torch
from benchmarks.attention.features import feature_error

from longways.attention.config import AttentionConfig
from longways.attention.features import (
    FEATURE_MAPS,
    LearnedFeatures,
    PositiveFeatures,
    RandomFeatures,
    SpikyFeatures,
)
from longways.attention.rfa import FEATURE_SCALE
from longways.attention.rfa.constants import SPIKY_SCALE

RANDOM_MAPS = [RandomFeatures, PositiveFeatures]


@pytest.mark.parametrize(
    "kind", [RandomFeatures, pytest.param(PositiveFeatures, marks=pytest.mark.slow)]
)
def test_the_error_falls_as_one_over_the_square_root_of_K(kind):
    with torch.no_grad():
        errors = {K: feature_error(kind, K) for K in (64, 256, 1024)}
    assert errors[64] / errors[256] == pytest.approx(2, rel=0.15)
    assert errors[256] / errors[1024] == pytest.approx(2, rel=0.15)


def test_random_features_are_the_sines_and_cosines_of_the_paper():
    torch.manual_seed(0)
    x, W = torch.randn(2, 3, 5, 4), torch.randn(3, 6, 4)
    phi = RandomFeatures(heads=3, head_dim=4, projection=6, tau=1.0)
    with torch.no_grad():
        phi.tau.copy_(torch.tensor([0.5, 1.0, 2.0]))
        found = phi(x, W)
    for head, tau in enumerate((0.5, 1.0, 2.0)):
        unit = x[:, head] / (x[:, head].norm(dim=-1, keepdim=True) + 1e-3)
        u = unit @ W[head].T / tau
        assert torch.allclose(found[:, head, :, :6], 0.1 * u.sin(), atol=1e-6)
        assert torch.allclose(found[:, head, :, 6:], 0.1 * u.cos(), atol=1e-6)


@pytest.mark.parametrize("kind", RANDOM_MAPS)
@pytest.mark.parametrize("tau", [0.5, 1.0])
def test_both_random_maps_estimate_one_kernel_at_one_scale(kind, tau):
    torch.manual_seed(0)
    K = 20_000
    phi, W = kind(1, 8, K, tau).double(), torch.randn(1, K, 8, dtype=torch.float64)
    x, y = 1e6 * torch.nn.functional.normalize(
        torch.randn(2, 1, 1, 1, 8, dtype=torch.float64), dim=-1
    )
    found = (phi(x, W) * phi(y, W)).sum() / (FEATURE_SCALE**2 * K)
    wanted = (-((x - y) / 1e6).square().sum() / (2 * tau**2)).exp()
    assert found.item() == pytest.approx(wanted.item(), rel=0.1, abs=0.02)
    estimate = (phi(x, W) * phi(y, W)).sum() * phi.exp_scale(K)
    assert estimate.item() == pytest.approx(((x * y).sum() / 1e12 / tau**2).exp().item(), rel=0.25)


def test_positive_features_are_positive():
    phi = PositiveFeatures(2, 4, 6, tau=0.3)
    assert (phi(torch.randn(1, 2, 50, 4), torch.randn(2, 6, 4)) > 0).all()


def test_learned_features_are_a_relu_of_a_projection_and_need_no_matrices():
    phi = LearnedFeatures(2, 4, 6, tau=1.0)
    x = torch.randn(3, 2, 5, 4)
    found = phi(x, None)
    wanted = (x[1, 1] @ phi.weight[1].T + phi.bias[1]).relu() * FEATURE_SCALE
    assert torch.allclose(found[1, 1], wanted, atol=1e-6)
    assert not phi.log_key_norms(x).any()


def test_spiky_features_are_a_softmax_of_projections_and_few_of_them_are_large():
    phi = SpikyFeatures(2, 4, 6, tau=1.0)
    torch.nn.init.normal_(phi.bias)
    x = 20 * torch.randn(3, 2, 5, 4)
    found = phi(x, None)
    wanted = (x[1, 1] @ phi.weight[1].T + phi.bias[1]).softmax(-1) * SPIKY_SCALE
    assert torch.allclose(found[1, 1], wanted, atol=1e-5)
    assert torch.allclose(found.sum(-1), torch.full((3, 2, 5), SPIKY_SCALE))
    assert not phi.log_key_norms(x).any()
    assert found.amax(-1).median() > 0.9 * SPIKY_SCALE


@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_features_are_as_many_as_announced_and_in_float32(name):
    phi = FEATURE_MAPS[name](2, 4, 6, 1.0)
    with torch.autocast("cpu", torch.bfloat16):
        found = phi(torch.randn(1, 2, 3, 4, dtype=torch.bfloat16), torch.randn(2, 6, 4))
    assert found.shape == (1, 2, 3, phi.features)
    assert phi.features == AttentionConfig(feature_map=name, projection=6).features
    assert found.dtype == torch.float32


@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_a_map_whose_weights_are_in_half_precision_computes_in_float32(name):
    phi, W = FEATURE_MAPS[name](2, 4, 6, 1.0).bfloat16(), torch.randn(2, 6, 4).bfloat16()
    x = torch.randn(1, 2, 3, 4).bfloat16()
    rough, exact = phi(x, W), phi.float()(x.float(), W.float())
    assert rough.dtype == torch.float32
    assert torch.allclose(rough, exact, atol=1e-6)


@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_a_zero_vector_has_a_finite_gradient(name):
    x = torch.zeros(1, 2, 1, 4, requires_grad=True)
    FEATURE_MAPS[name](2, 4, 6, 1.0)(x, torch.randn(2, 6, 4)).sum().backward()
    assert x.grad is not None
    assert torch.isfinite(x.grad).all()
