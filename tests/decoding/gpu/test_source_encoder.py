"""The memory of all layers, computed in one matmul, equals the memory of each layer."""

import pytest
import torch

from longways.attention.rfa import JointSums
from longways.attention.rfa.cross import _remember_joint
from longways.attention.softmax import KVMemory
from longways.decoding.gpu import source_encoder
from longways.decoding.gpu.source_encoder import SourceEncoder
from tests.model.tiny import PAD, random_batch, tiny_model

SPIKY = ("rfa-sgate", "cross.feature_map=spiky")
MODELS = [
    SPIKY,
    ("rfa", "cross.feature_map=learned"),
    ("rfa-sgate",),
    ("rfa", "cross.feature_map=positive"),
    ("transformer",),
    ("hybrid", "heads=4", "cross.key_heads=2"),
    ("hybrid", "cross.means=3"),
]


def tensors(memory):
    if isinstance(memory, KVMemory):
        return memory.keys, memory.values, memory.mask
    return (memory.sums,) if isinstance(memory, JointSums) else (memory.S, memory.z)


def assert_alike(found, wanted):
    assert found.windows == wanted.windows
    for one, other in zip(found.layers, wanted.layers, strict=True):
        for x, y in zip(tensors(one), tensors(other), strict=True):
            assert x.shape == y.shape
            assert torch.allclose(x.double(), y.double(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("named", MODELS, ids=" ".join)
def test_every_layer_has_the_memory_of_the_model(named):
    model, (source, _) = tiny_model(*named, "decoder_layers=3"), random_batch()
    assert (source == PAD).any()
    with torch.no_grad():
        assert_alike(SourceEncoder(model).encode(source, padded=True), model.encode(source))


@pytest.mark.parametrize("named", MODELS, ids=" ".join)
def test_windows_without_padding_need_no_mask(named):
    model, (source, _) = tiny_model(*named), random_batch()
    source = source.masked_fill(source == PAD, 5)
    with torch.no_grad():
        assert_alike(SourceEncoder(model).encode(source, padded=False), model.encode(source))


def test_joint_sums_are_split_into_layers(monkeypatch):
    """As on a GPU in half precision, where S and z are one matrix."""
    monkeypatch.setattr(source_encoder, "rfa_remember", _remember_joint)
    model, (source, _) = tiny_model(*SPIKY, "decoder_layers=3"), random_batch()
    with torch.no_grad():
        found = SourceEncoder(model).encode(source, padded=True).layers
        wanted = model.encode(source).layers
    for one, other in zip(found, wanted, strict=True):
        assert torch.allclose(one.sums[..., :-8], other.S, rtol=0, atol=1e-10)
        assert torch.allclose(one.sums[..., -8], other.z, rtol=0, atol=1e-10)


def test_layers_of_one_kind_are_computed_together():
    assert SourceEncoder(tiny_model(*SPIKY)).rfa
    assert SourceEncoder(tiny_model("transformer")).softmax
    random = SourceEncoder(tiny_model("rfa"))
    assert not random.rfa
    assert not random.softmax
