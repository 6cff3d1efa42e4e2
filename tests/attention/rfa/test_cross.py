"""Cross RFA: the sums of a source, and attention to them."""

import pytest
import torch

from longways.attention.features import RandomFeatures
from longways.attention.rfa import MIN_NORM, key_weights, rfa_read, rfa_remember
from longways.attention.rfa.cross import _read_joint, _remember_joint
from longways.errors import ShapeError
from tests.attention.windows import relative_error


def test_reading_the_sums_equals_attending_to_every_source_token():
    torch.manual_seed(0)
    phi_q, phi_k = torch.rand(2, 3, 9, 6), torch.rand(2, 3, 7, 6)
    v, write = torch.randn(2, 3, 7, 4), torch.rand(2, 3, 7)
    weight = torch.einsum("bhtd,bhnd->bhtn", phi_q, phi_k) * write[:, :, None]
    wanted = weight @ v / weight.sum(-1, keepdim=True).clamp_min(MIN_NORM)
    found = rfa_read(phi_q, rfa_remember(write[..., None] * phi_k, v))
    assert relative_error(found, wanted) < 1e-5


def test_the_weight_of_a_key_is_the_papers():
    torch.manual_seed(0)
    k = torch.randn(2, 3, 5, 16)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    phi = RandomFeatures(heads=3, head_dim=16, projection=8, tau=0.7)
    weights = key_weights(phi.log_key_norms(k), mask)
    n = (k.norm(dim=-1) * 16**-0.5 / 0.7) ** 2 / 2
    for row, real in ((0, 5), (1, 3)):
        wanted = (n[row, :, :real] - n[row, :, :real].amax(-1, keepdim=True)).exp()
        assert torch.allclose(weights[row, :, :real], wanted)
        assert not weights[row, :, real:].any()


def test_the_greatest_norm_has_no_gradient_of_its_own():
    n = torch.tensor([[[1.0, 3.0]]], requires_grad=True)
    key_weights(n, torch.ones(1, 2, dtype=torch.bool)).sum().backward()
    assert n.grad is not None
    assert n.grad.flatten().tolist() == pytest.approx([torch.tensor(-2.0).exp().item(), 1.0])


def test_padding_does_not_change_the_sums():
    torch.manual_seed(0)
    phi_k, v, n = torch.rand(1, 2, 8, 6), torch.randn(1, 2, 8, 4), torch.randn(1, 2, 8)
    mask = (torch.arange(8) < 5)[None]
    padded = rfa_remember(key_weights(n, mask)[..., None] * phi_k, v)
    weights = key_weights(n[..., :5], mask[:, :5])[..., None]
    cut = rfa_remember(weights * phi_k[:, :, :5], v[:, :, :5])
    assert torch.allclose(padded.S, cut.S)
    assert torch.allclose(padded.z, cut.z)


def test_mismatched_shapes_are_named():
    phi_k, v, write = torch.rand(2, 3, 7, 6), torch.randn(2, 3, 7, 4), torch.rand(2, 3, 7)
    with pytest.raises(ShapeError, match="agree in batch, heads and source tokens"):
        rfa_remember(phi_k, v[:, :, :5])
    with pytest.raises(ShapeError, match="agree in batch, heads and features"):
        rfa_read(torch.rand(2, 3, 9, 5), rfa_remember(write[..., None] * phi_k, v))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_joint_sums_give_the_same_attention(dtype):
    """A GPU uses joint sums in half precision; here they are exact in float64."""
    torch.manual_seed(0)
    phi_q, phi_k = (torch.rand(2, 3, n, 6, dtype=torch.float64) for n in (9, 7))
    v = torch.randn(2, 3, 7, 4, dtype=torch.float64)
    inputs = [x.requires_grad_() for x in (phi_q, phi_k, v)]
    wanted = rfa_read(phi_q, rfa_remember(phi_k, v))
    found = _read_joint(phi_q.to(dtype), _remember_joint(phi_k.to(dtype), v.to(dtype)).sums)
    close = 1e-12 if dtype == torch.float64 else 0.03
    assert relative_error(found.double(), wanted) < close
    gradients = [torch.autograd.grad(y.double().square().sum(), inputs) for y in (found, wanted)]
    for got, want in zip(*gradients, strict=True):
        assert relative_error(got, want) < 3 * close
