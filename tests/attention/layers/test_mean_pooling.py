"""Mean pooling of a source."""

import pytest
import torch

from longways.attention.config import CrossConfig
from longways.attention.layers import CrossSoftmax
from longways.attention.layers.mean_pooling import INITIAL_SHARPNESS, SourcePool

MASK = torch.arange(9) < torch.tensor([[9], [6]])


def random_pool(means):
    torch.manual_seed(0)
    pool = SourcePool(2, 4, means).double()
    torch.nn.init.normal_(pool.queries)
    torch.nn.init.normal_(pool.sharpness)
    return pool


@pytest.mark.parametrize("means", [1, 4, 30])
def test_a_mean_weights_tokens_by_distance_and_by_its_query(means):
    pool, (k, v) = random_pool(means), torch.randn(2, 2, 2, 9, 4, dtype=torch.float64)
    keys, values = pool(k, v, MASK)
    for row, tokens in ((0, 9), (1, 6)):
        for mean in range(means):
            scores = [
                pool.queries[1, mean] @ k[row, 1, i] / 2
                - pool.sharpness[1, mean].exp() * ((i + 0.5) * means / tokens - mean - 0.5) ** 2
                for i in range(tokens)
            ]
            shares = torch.stack(scores).softmax(0)
            assert torch.allclose(keys[row, 1, mean], shares @ k[row, 1, :tokens])
            assert torch.allclose(values[row, 1, mean], shares @ v[row, 1, :tokens])


def test_with_a_mean_for_every_token_a_new_pool_is_almost_the_identity():
    shares = SourcePool(1, 4, 9).shares(torch.randn(1, 1, 9, 4), MASK[:1])[0, 0]
    assert shares.diagonal().min() > 1 - 3 * torch.tensor(-INITIAL_SHARPNESS).exp()
    assert torch.allclose(shares.sum(-1), torch.ones(9))


def test_padding_has_no_weight():
    pool, k = random_pool(4), torch.randn(2, 2, 9, 4, dtype=torch.float64)
    shares = pool.shares(k, MASK)
    assert not shares[1, :, :, 6:].any()
    k[1, :, 6:] = 1e6
    assert torch.equal(pool.shares(k, MASK), shares)


def test_weights_of_means_are_distributed_over_tokens():
    torch.manual_seed(0)
    layer = CrossSoftmax(8, 2, CrossConfig(kind="softmax", key_heads=1, means=4)).double()
    torch.nn.init.normal_(layer.pool.queries)
    source, x = torch.randn(2, 9, 8).double(), torch.randn(2, 5, 8).double()
    memory = layer.remember(source, MASK, None)
    assert memory.keys.shape == (2, 1, 4, 4)
    assert not memory.grows
    v = layer.split(layer.v(source), 1).repeat(1, 2, 1, 1)
    weights = layer.weights(x, source, MASK, None)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 2, 5).double())
    assert torch.allclose(layer.read(x, memory, None), layer.join(weights @ v))
