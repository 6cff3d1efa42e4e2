"""Sources as decoding reads them are encoded as the model would."""

import pytest
import torch

from longways.decoding.gpu.fused_encoder import FusedEncoder
from tests.model.tiny import PAD, random_batch, tiny_model


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("padded", [True, False])
def test_it_is_what_the_encoder_gives(norm, padded):
    model, (source, _) = (
        tiny_model("transformer", f"norm={norm}", "encoder_layers=3"),
        random_batch(),
    )
    mask = source != PAD if padded else None
    with torch.no_grad():
        found, wanted = FusedEncoder(model.encoder)(source, mask), model.encoder(source, mask)
    assert torch.allclose(found, wanted, rtol=0, atol=1e-12)


def test_it_keeps_the_weights_that_it_was_made_with():
    model, (source, _) = tiny_model("transformer"), random_batch()
    reader = FusedEncoder(model.encoder)
    with torch.no_grad():
        before = reader(source, None)
        for layer in model.encoder.layers:
            layer.attention.q.weight.mul_(2)
            layer.feed_forward.narrow.weight.mul_(2)
        assert torch.equal(reader(source, None), before)
