"""Gates reduce to keep and write."""

import pytest
import torch

from longways.attention.gate import gate_step, gate_window, hide_padding
from longways.attention.state import GateState

GATED = ["decay", "average"]


def one_head(*values: float) -> torch.Tensor:
    return torch.tensor([[values]])


def gated(gate, f, separators, mask, past):
    return hide_padding(*gate_window(gate, f, separators, past), mask)


def test_decay_falls_on_the_token_after_a_separator():
    f = one_head(0.1, 0.2, 0.3, 0.4, 0.5)
    separators = torch.tensor([[False, True, False, True, False]])
    past = GateState.open(1, 1, like=f)
    keep, write, coming = gated("decay", f, separators, torch.ones(1, 5).bool(), past)
    assert keep.flatten().tolist() == pytest.approx([1, 1, 0.2, 1, 0.4])
    assert write.flatten().tolist() == [1] * 5
    assert (coming.keep.item(), coming.write.item()) == (1, 1)


def test_average_writes_a_sentence_with_one_minus_keep_of_its_start():
    f = one_head(0.1, 0.2, 0.3, 0.4, 0.5)
    separators = torch.tensor([[False, True, False, True, False]])
    past = GateState.open(1, 1, like=f)
    keep, write, coming = gated("average", f, separators, torch.ones(1, 5).bool(), past)
    assert keep.flatten().tolist() == pytest.approx([1, 1, 0.2, 1, 0.4])
    assert write.flatten().tolist() == pytest.approx([1, 1, 0.8, 0.8, 0.6])
    assert coming.write.item() == pytest.approx(0.6)


def test_a_separator_at_the_end_gates_the_next_token():
    f = one_head(0.1, 0.7)
    past = GateState.open(1, 1, like=f)
    separators = torch.tensor([[False, True]])
    _, _, coming = gated("average", f, separators, torch.ones(1, 2).bool(), past)
    assert coming.keep.item() == pytest.approx(0.7)
    assert coming.write.item() == pytest.approx(0.3)


@pytest.mark.parametrize("gate", GATED)
def test_padding_keeps_everything_writes_nothing_and_leaves_the_gate_alone(gate):
    f = one_head(0.1, 0.7, 0.2, 0.3)
    past = GateState.open(1, 1, like=f)
    separators, mask = (
        torch.tensor([[False, True, False, False]]),
        torch.tensor([[1, 1, 0, 0]]).bool(),
    )
    keep, write, coming = gated(gate, f, separators, mask, past)
    assert keep[..., 2:].flatten().tolist() == [1, 1]
    assert write[..., 2:].flatten().tolist() == [0, 0]
    assert coming.keep.item() == pytest.approx(0.7)


@pytest.mark.parametrize("gate", GATED)
def test_token_by_token_equals_the_whole_window(gate):
    torch.manual_seed(0)
    f, separators = torch.rand(4, 3, 30), torch.rand(4, 30) < 0.2
    start = GateState(torch.rand(4, 3), torch.rand(4, 3) if gate == "average" else torch.ones(4, 3))
    keep, write, coming = gated(gate, f, separators, torch.ones(4, 30).bool(), start)
    state = start
    for t in range(30):
        k, w, state = gate_step(gate, f[..., t], separators[:, t], state)
        assert torch.equal(k, keep[..., t])
        assert torch.equal(w, write[..., t])
    assert torch.equal(state.keep, coming.keep)
    assert torch.equal(state.write, coming.write)


def test_only_separators_receive_gradient():
    f = torch.rand(1, 2, 6, requires_grad=True)
    separators = torch.tensor([[False, False, True, False, False, False]])
    past = GateState.open(1, 2, like=f)
    keep, _, _ = gated("decay", f, separators, torch.ones(1, 6).bool(), past)
    keep.sum().backward()
    assert f.grad is not None
    assert f.grad[0].nonzero()[:, 1].tolist() == [2, 2]
