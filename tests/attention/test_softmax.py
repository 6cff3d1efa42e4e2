"""Softmax attention with a cache equals softmax attention without one."""

import torch

from longways.attention.softmax import softmax_attention, softmax_causal, softmax_extend
from longways.attention.state import KVState


def test_a_ragged_prefix_and_then_single_tokens_equal_the_whole_window():
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 3, 2, 12, 4, dtype=torch.float64)
    whole = softmax_causal(q, k, v)
    prefix = torch.tensor([5, 2, 0])
    mask = torch.arange(5) < prefix[:, None]
    state = KVState.empty(3, 2, 6, 4, like=q)
    out, state = softmax_extend(q[:, :, :5], k[:, :, :5], v[:, :, :5], mask, state)
    assert torch.allclose(out.transpose(1, 2)[mask], whole[:, :, :5].transpose(1, 2)[mask])
    rows = torch.arange(3)
    for t in range(6):
        at = prefix + t
        token = [x[rows, :, at][:, :, None] for x in (q, k, v)]
        out, state = softmax_extend(*token, torch.ones(3, 1).bool(), state)
        assert torch.allclose(out[:, :, 0], whole[rows, :, at])


def test_padding_in_the_source_is_not_seen():
    q, k, v = torch.randn(3, 1, 2, 6, 4)
    mask = (torch.arange(6) < 4)[None]
    found = softmax_attention(q, k, v, mask)
    assert torch.allclose(
        found, softmax_attention(q, k[:, :, :4], v[:, :, :4], mask[:, :4]), atol=1e-6
    )
