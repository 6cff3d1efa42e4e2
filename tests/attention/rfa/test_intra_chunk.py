"""Decayed scores and their own backward pass."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from longways.attention.rfa.intra_chunk import decayed_scores


class Overwriting(TorchDispatchMode):
    """Lists the operators that change their arguments in place."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func._schema.is_mutable:
            self.found.append(str(func))
        return func(*args, **(kwargs or {}))


def random_inputs(tokens=5, dtype=torch.float64):
    torch.manual_seed(tokens)
    phi_q, written = (torch.randn(2, 3, tokens, 4, dtype=dtype) for _ in range(2))
    c = torch.rand(2, 3, tokens, dtype=dtype).log().cumsum(-1)
    return tuple(x.requires_grad_() for x in (phi_q, written, c))


def test_a_score_decays_by_the_gates_between_its_tokens():
    phi_q, written, c = (x.detach() for x in random_inputs())
    scores = decayed_scores(phi_q, written, c)
    for t in range(5):
        for s in range(5):
            decay = (c[..., t] - c[..., s]).exp() if s <= t else 0
            expected = (phi_q[:, :, t] * written[:, :, s]).sum(-1) * decay
            torch.testing.assert_close(scores[:, :, t, s], expected)


def test_gradients_equal_finite_differences():
    assert torch.autograd.gradcheck(decayed_scores, random_inputs())


def test_no_operation_is_in_place():
    """Compiled by PyTorch 2.11, a custom function with in-place operations gets no gradient."""
    inputs = random_inputs()
    with Overwriting() as overwriting:
        decayed_scores(*inputs)
    assert overwriting.found == []
