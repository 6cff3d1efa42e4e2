"""The embedding of tokens and positions."""

import math

import torch

from longways.model.embedding import Embedding, sinusoids


def test_positions_are_the_sinusoids_of_the_transformer():
    table = sinusoids(50, 8)
    for position, column in ((0, 0), (3, 2), (49, 6)):
        angle = position / 10000 ** (column / 8)
        assert math.isclose(table[position, column].item(), math.sin(angle), abs_tol=1e-5)
        assert math.isclose(table[position, column + 1].item(), math.cos(angle), abs_tol=1e-5)


def test_tokens_are_scaled_and_padding_is_zero_but_for_its_position():
    embedding = Embedding(10, 8, positions=5, pad=0, dropout=0.0)
    out = embedding(torch.tensor([[4, 0]]))
    assert torch.allclose(out[0, 0], 8**0.5 * embedding.tokens.weight[4] + embedding.table[0])
    assert torch.equal(out[0, 1], embedding.table[1])


def test_the_table_is_not_saved_with_the_weights():
    assert list(Embedding(10, 8, 5, 0, 0.0).state_dict()) == ["tokens.weight"]
