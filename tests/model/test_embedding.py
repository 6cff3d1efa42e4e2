"""The embedding of tokens and positions."""

import math

import torch

from longways.model.embedding import Embedding, sinusoids
from tests.model.tiny import tiny_model


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


def test_hidden_tokens_keep_their_positions_and_others_their_scale():
    torch.manual_seed(0)
    embedding = Embedding(10, 8, positions=400, pad=0, dropout=0.0, token_dropout=0.3)
    tokens = torch.full((5, 400), 4)
    out = embedding(tokens) - embedding.table
    whole = 8**0.5 * embedding.tokens.weight[4]
    hidden, kept = ((out - x).abs().amax(-1) < 1e-5 for x in (torch.zeros(8), whole))
    assert (hidden | kept).all()
    assert 0.27 < hidden.float().mean() < 0.33
    assert torch.equal(embedding.eval()(tokens), embedding.at(tokens, torch.arange(400)))
    assert torch.allclose(embedding(tokens) - embedding.table, whole.expand(5, 400, 8), atol=1e-5)


def test_a_model_hides_tokens_on_both_sides_in_training_only():
    model = tiny_model("stream", "dropout=0.0", "token_dropout=0.5")
    source, target = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[1, 8, 9]])
    assert torch.equal(model.eval()(source, target), model(source, target))
    encoded = model.encoder(source, None)
    model.train()
    assert not torch.allclose(model.encoder(source, None), encoded)
    assert not torch.allclose(model.decoder.embed(target), model.eval().decoder.embed(target))
