"""The gate of cross RFA: read from left to right, every separator fades what came before it."""

import pytest
import torch

from longways.attention.config import CrossConfig
from longways.attention.gate import fade_to_end
from longways.attention.layers import CrossRFA
from longways.attention.random_matrices import MatrixPool
from longways.errors import ConfigError

H, E, K, N = 3, 8, 5, 9
SEPARATORS = torch.zeros(2, N, dtype=torch.bool)
SEPARATORS[0, 2] = SEPARATORS[0, 3] = SEPARATORS[0, 6] = SEPARATORS[1, 4] = True
MASK = torch.ones(2, N, dtype=torch.bool)
MASK[1, 6:] = False


def gated(gate: str = "decay") -> tuple[CrossRFA, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    layer = CrossRFA(H * E, H, CrossConfig(projection=K, gate=gate, gate_bias=0.5)).double()
    sizes = {"layers": 1, "heads": H, "projection": K, "head_dim": E, "size": 4, "seed": 1}
    W = MatrixPool(**sizes, orthogonal=False)(0).double()
    return layer, torch.randn(2, N, H * E, dtype=torch.float64), W


def test_the_sums_are_those_of_the_recurrence():
    layer, source, W = gated()
    memory = layer.remember(source, MASK, W, SEPARATORS)
    ungated, _, _ = gated("none")
    ungated.load_state_dict(layer.state_dict(), strict=False)
    k, v = ungated.split(ungated.k(source)), ungated.split(ungated.v(source))
    phi, f = ungated.phi(k, W), layer.f(source).sigmoid()
    n = ungated.phi.log_key_norms(k).masked_fill(~MASK[:, None], -torch.inf)
    weights = (n - n.amax(-1, keepdim=True)).exp()
    S, z = torch.zeros_like(memory.S), torch.zeros_like(memory.z)
    for t in range(N):
        S = S + weights[:, :, t, None, None] * phi[:, :, t, :, None] * v[:, :, t, None, :]
        z = z + weights[:, :, t, None] * phi[:, :, t]
        keep = torch.where(SEPARATORS[:, t, None], f[:, t], 1.0)  # acts at the next token
        S, z = keep[..., None, None] * S, keep[..., None] * z
    torch.testing.assert_close(memory.S, S, rtol=0, atol=1e-12)
    torch.testing.assert_close(memory.z, z, rtol=0, atol=1e-12)


def test_a_window_of_one_sentence_is_not_faded():
    layer, source, W = gated()
    ungated, _, _ = gated("none")
    ungated.load_state_dict(layer.state_dict(), strict=False)
    none = torch.zeros_like(SEPARATORS)
    memory, plain = layer.remember(source, MASK, W, none), ungated.remember(source, MASK, W)
    torch.testing.assert_close(memory.S, plain.S, rtol=0, atol=0)


def test_weights_and_reads_agree_and_the_gate_has_a_gradient():
    layer, source, W = gated()
    x = torch.randn(2, 4, H * E, dtype=torch.float64)
    weights = layer.weights(x, source, MASK, W, SEPARATORS)  # (B, H, T, N)
    wanted = layer.join(weights @ layer.split(layer.v(source)))
    read = layer.read(x, layer.remember(source, MASK, W, SEPARATORS), W)
    torch.testing.assert_close(read, wanted, rtol=0, atol=1e-10)
    read.square().sum().backward()
    assert layer.f.bias.grad.abs().min() > 0


def test_fades_by_hand():
    f = torch.tensor([[[0.5, 0.9, 0.25, 0.9]]])
    separators = torch.tensor([[True, False, True, False]])
    assert fade_to_end(f, separators).flatten().tolist() == pytest.approx([0.125, 0.25, 0.25, 1])


def test_softmax_has_no_sums_to_gate():
    with pytest.raises(ConfigError, match=r"cross.gate is 'decay', but cross.kind is 'softmax'"):
        CrossConfig(kind="softmax", gate="decay")
