"""The fused encoder equals the encoder of the model."""

import pytest
import torch

from longways.decoding.gpu.fused_encoder import FusedEncoder
from tests.model.tiny import PAD, random_batch, tiny_model


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("padded", [True, False])
def test_the_fused_encoder_equals_the_encoder(norm, padded):
    model, (source, _) = (
        tiny_model("transformer", f"norm={norm}", "encoder_layers=3"),
        random_batch(),
    )
    mask = source != PAD if padded else None
    with torch.no_grad():
        found, wanted = FusedEncoder(model.encoder)(source, mask), model.encoder(source, mask)
    assert torch.allclose(found, wanted, rtol=0, atol=1e-12)


def test_the_fused_encoder_keeps_its_initial_weights():
    model, (source, _) = tiny_model("transformer"), random_batch()
    encoder = FusedEncoder(model.encoder)
    with torch.no_grad():
        before = encoder(source, None)
        for layer in model.encoder.layers:
            layer.attention.q.weight.mul_(2)
            layer.feed_forward.narrow.weight.mul_(2)
        assert torch.equal(encoder(source, None), before)
