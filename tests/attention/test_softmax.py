"""Softmax attention with a cache equals that without one; shared keys equal repeated ones."""

import pytest
import torch

from longways.attention.config import CrossConfig
from longways.attention.layers import CrossSoftmax
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


@pytest.mark.parametrize("tokens", [1, 5])
@pytest.mark.parametrize("key_heads", [1, 2, 3, 6])
def test_heads_that_share_keys_attend_as_if_each_had_a_copy(key_heads, tokens):
    torch.manual_seed(0)
    q = torch.randn(2, 6, tokens, 4, dtype=torch.float64)
    k, v = torch.randn(2, 2, key_heads, 7, 4, dtype=torch.float64)
    mask = torch.arange(7) < torch.tensor([[7], [4]])
    own = [x[:, [head % key_heads for head in range(6)]] for x in (k, v)]
    wanted = softmax_attention(q, *own, mask)
    assert torch.allclose(softmax_attention(q, k, v, mask), wanted)


def test_a_layer_whose_heads_share_keys_reads_what_its_weights_say():
    torch.manual_seed(0)
    layer = CrossSoftmax(24, 6, CrossConfig(kind="softmax", key_heads=2)).double()
    source, x = torch.randn(2, 7, 24).double(), torch.randn(2, 5, 24).double()
    mask = torch.arange(7) < torch.tensor([[7], [4]])
    memory = layer.remember(source, mask, None)
    assert memory.keys.shape == (2, 2, 7, 4)
    values = memory.values.repeat(1, 3, 1, 1)
    wanted = layer.join(layer.weights(x, source, mask, None) @ values)
    assert torch.allclose(layer.read(x, memory, None), wanted)
