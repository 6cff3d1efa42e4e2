"""The Triton kernels, compiled for a real GPU, equal the parallel form and the module.

B batch, H heads, T tokens, D features, E head size, K projections.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import torch
from torch import Tensor

from longways.attention.features import RandomFeatures
from tests.attention.kernel_inputs import causal_errors, feature_errors
from tests.attention.windows import GATES

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton"),
    pytest.mark.filterwarnings("ignore:Please use the new API settings"),  # to allow tf32
]

TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 2e-2, torch.float16: 5e-3}
H, E = 8, 64


@pytest.fixture(autouse=True)
def _exact_products() -> Iterator[None]:
    """Disable tf32, which training in half precision enables; a test may enable it again."""
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    yield
    torch.backends.cuda.matmul.allow_tf32 = allowed


def heads_last(x: Tensor) -> Tensor:
    """x (B, H, ...) laid out in memory as (B, T, H, ...), as a linear layer gives it."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def causal_inputs(
    batch: int,
    tokens: int,
    dtype: torch.dtype,
    gate: str = "average",
    K: int = 32,
    head_dim: int = E,
) -> list[Tensor]:
    """Features of the module, sentences of about 12 tokens, padding in some rows."""
    torch.manual_seed(tokens)
    phi = RandomFeatures(H, E, K, tau=1.0).cuda()
    q, k = torch.randn(2, batch, H, tokens, E, device="cuda")
    W = torch.randn(H, K, E, device="cuda")
    with torch.no_grad():
        phi_q, phi_k = phi(q, W).to(dtype), phi(k, W).to(dtype)
    v = heads_last(torch.randn(batch, H, tokens, head_dim, device="cuda")).to(dtype)
    f = torch.rand(batch, H, tokens, device="cuda") * 0.9 + 0.05
    starts = (torch.rand(batch, 1, tokens, device="cuda") < 1 / 12) & (gate != "none")
    keep = torch.where(starts, f, 1.0)
    write = f.clone() if gate == "average" else torch.ones_like(f)
    write[::3, :, tokens // 2 + 1 :], keep[::3, :, tokens // 2 + 1 :] = 0.0, 1.0
    return [phi_q, phi_k, v, keep, write]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("tokens", [1, 2, 8, 17, 33, 63, 64, 65, 130, 400])
@pytest.mark.parametrize("gate", GATES)
def test_causal_values_and_gradients_equal_the_parallel_form(gate, tokens, dtype):
    errors = causal_errors(*causal_inputs(3, tokens, dtype, gate))
    assert max(errors.values()) < TOLERANCE[dtype], errors


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_a_training_batch_equals_the_parallel_form(dtype):
    errors = causal_errors(*causal_inputs(170, 96, dtype))
    assert max(errors.values()) < TOLERANCE[dtype], errors


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("K", "head_dim"), [(5, 20), (64, 128), (33, 72)])
def test_other_feature_and_head_sizes_equal_the_parallel_form(K, head_dim, dtype):
    errors = causal_errors(*causal_inputs(2, 100, dtype, "decay", K, head_dim))
    assert max(errors.values()) < TOLERANCE[dtype], errors


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_strided_inputs_equal_the_parallel_form(dtype):
    inputs = [heads_last(x) for x in causal_inputs(4, 90, dtype)]
    errors = causal_errors(*inputs)
    assert max(errors.values()) < TOLERANCE[dtype], errors


def test_tf32_is_used_where_it_is_allowed():
    torch.backends.cuda.matmul.allow_tf32 = True
    errors = causal_errors(*causal_inputs(4, 90, torch.float32))
    assert max(errors.values()) < 5e-3, errors
    x, W, tau = feature_inputs(4, 90, 32, torch.float32)
    errors = feature_errors(x, W, tau, torch.float32)
    assert max(errors.values()) < 1e-4, errors


def test_two_runs_give_the_same_bits():
    from longways.attention.kernels.causal import rfa_triton

    inputs = [x.requires_grad_() for x in causal_inputs(16, 200, torch.bfloat16)]
    runs = []
    for _ in range(2):
        out = rfa_triton(*inputs)
        runs.append([out, *torch.autograd.grad(out.float().square().sum(), inputs)])
    assert all(torch.equal(a, b) for a, b in zip(*runs, strict=True))


def feature_inputs(
    batch: int, tokens: int, K: int, dtype: torch.dtype, head_dim: int = E
) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(tokens)
    x = heads_last(torch.randn(batch, H, tokens, head_dim, device="cuda")).to(dtype)
    W = torch.randn(H, K, head_dim, device="cuda")
    return x, W, torch.linspace(0.3, 2.0, H, device="cuda")


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("batch", "tokens", "K"), [(3, 1, 32), (170, 96, 32), (5, 77, 256)])
def test_features_and_gradients_equal_the_module(batch, tokens, K, weighted, dtype):
    x, W, tau = feature_inputs(batch, tokens, K, dtype)
    weight = torch.rand(batch, H, tokens, device="cuda") if weighted else None
    errors = feature_errors(x, W, tau, dtype, weight)
    assert max(errors.values()) < TOLERANCE[dtype], errors


@pytest.mark.parametrize(("K", "head_dim"), [(12, 20), (100, 128), (512, 64)])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_features_of_other_sizes_equal_the_module(K, head_dim, dtype):
    errors = feature_errors(*feature_inputs(3, 50, K, dtype, head_dim), dtype)
    assert max(errors.values()) < TOLERANCE[dtype], errors


@pytest.mark.parametrize("x_dtype", [torch.bfloat16, torch.float16])
def test_half_precision_inputs_keep_the_angles_exact(x_dtype):
    from longways.attention.kernels.features import random_features

    x, W, tau = feature_inputs(8, 96, 32, x_dtype)
    phi = random_features(x, W, tau, torch.float32)
    unit = x.double() / (x.double().norm(dim=-1, keepdim=True) + 1e-3)
    u = torch.einsum("bhte,hke->bhtk", unit, W.double()) / tau.double()[:, None, None]
    assert (phi - 0.1 * torch.cat([u.sin(), u.cos()], -1)).abs().max() < 1e-5


@pytest.mark.filterwarnings("default")  # the compiler warns, for example about tf32
def test_torch_compile_has_no_graph_break():
    from longways.attention.kernels.causal import rfa_triton
    from longways.attention.kernels.features import random_features

    x, W, tau = feature_inputs(8, 96, 32, torch.bfloat16)
    keep, write = causal_inputs(8, 96, torch.bfloat16)[3:]
    inputs = [y.requires_grad_() for y in (x, tau, keep, write)]

    def attend(x: Tensor, tau: Tensor, keep: Tensor, write: Tensor) -> Tensor:
        phi = random_features(2 * x, W, tau, torch.bfloat16)
        return rfa_triton(phi, phi, x, keep, write).transpose(1, 2).flatten(2)

    results = []
    for form in (attend, torch.compile(attend, fullgraph=True, dynamic=True)):
        out = form(*inputs)
        results.append([out, *torch.autograd.grad(out.float().square().sum(), inputs)])
    for eager, compiled in zip(*results, strict=True):
        assert (eager - compiled).abs().max() <= 1e-2 * eager.abs().max()
