"""Faded scores and their own backward pass."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from longways.attention.rfa.intra_chunk import faded_scores


class Overwriting(TorchDispatchMode):
    """Notes every operator that changes a tensor it was given."""

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


def test_a_score_fades_with_all_that_is_kept_on_the_way():
    phi_q, written, c = (x.detach() for x in random_inputs())
    scores = faded_scores(phi_q, written, c)
    for t in range(5):
        for s in range(5):
            fade = (c[..., t] - c[..., s]).exp() if s <= t else 0
            expected = (phi_q[:, :, t] * written[:, :, s]).sum(-1) * fade
            torch.testing.assert_close(scores[:, :, t, s], expected)


def test_gradients_are_those_of_the_numbers():
    assert torch.autograd.gradcheck(faded_scores, random_inputs())


def test_nothing_is_overwritten():
    """Compiled by PyTorch 2.11, a function of one's own that does so gets no gradient."""
    inputs = random_inputs()
    with Overwriting() as overwriting:
        faded_scores(*inputs)
    assert overwriting.found == []
