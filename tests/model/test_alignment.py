"""Alignment weights are the weights of cross attention."""

import pytest
import torch

from longways.errors import DamagedCheckpoint
from longways.model.alignment import align
from longways.model.alignment_heads import AlignmentHead, alignment_heads
from longways.model.config import PRESETS
from tests.model.tiny import PAD, WINDOW_MODELS, random_batch, tiny_model


@pytest.mark.parametrize("name", WINDOW_MODELS)
def test_weights_times_values_equal_the_attention_output(name):
    model = tiny_model(name, "norm=pre")
    torch.manual_seed(2)
    source, x = torch.randn(3, 7, 32).double(), torch.randn(3, 5, 32).double()
    mask = torch.arange(7) < torch.tensor([7, 4, 1])[:, None]
    for layer, W in model.decoder.with_matrices():
        cross = layer.cross
        weights = cross.weights(x, source, mask, W.cross)
        values = cross.split(cross.v(source))
        found = cross.join(weights @ values)
        wanted = cross.read(x, cross.remember(source, mask, W.cross), W.cross)
        assert torch.allclose(found, wanted, atol=1e-10)
        assert not weights[1, :, :, 4:].any()


@pytest.mark.parametrize("name", PRESETS)
def test_weights_sum_to_one_and_padding_has_none(name):
    model = tiny_model(name)
    source, target = random_batch()
    shares = align(model, source, target)
    assert shares.shape == (3, target.shape[1], source.shape[1])
    assert torch.allclose(shares.sum(-1), torch.ones_like(shares[..., 0]))
    assert not shares[(source == PAD)[:, None].expand_as(shares)].any()
    assert (shares >= 0).all()


def test_aligning_does_not_change_the_logits():
    model = tiny_model("hybrid")
    source, target = random_batch()
    before = model(source, target)
    align(model, source, target)
    assert torch.equal(model(source, target), before)


def test_heads_are_read_from_the_facts_and_checked():
    config = tiny_model("hybrid").config
    assert alignment_heads({}, config, "config.json") == ()
    found = alignment_heads({"alignment": [[0, 1, 1]]}, config, "config.json")
    assert found == (AlignmentHead(layer=0, head=1, delay=1),)
    for wrong in ([[0, 99, 0]], [[0, 1]], [[0, 1, 2]], "0", [[0, True, 1]], [[-1, 0, 0]]):
        with pytest.raises(
            DamagedCheckpoint, match=r"facts.alignment is .* \[layer, head, delay\]"
        ):
            alignment_heads({"alignment": wrong}, config, "config.json")
