"""Parity is exact for float32, close for int8, and far for another model."""

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.export.exporter import export_model
from longways.export.parity import parity
from longways.model.checkpoint import save_model
from tests.decoding.exported import exact
from tests.decoding.gpu.test_stream_decoder import stream_runtime

CONFIG = TranslateConfig(
    L=3, search=SearchConfig(beams=2), length=LengthConfig(ratio=0.0, extra=12)
)


@pytest.fixture(scope="module", params=["hybrid", "decay, spiky"])
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parity") / "model"
    model = exact(request.param).model
    save_model(model.float(), folder)
    model.double()
    return folder


def test_float32_is_equal(model, tmp_path):
    export_model(model, tmp_path / "out")
    found = parity(model, tmp_path / "out", config=CONFIG, threads=1)
    assert max(found.score, found.prefix, found.steps) < 1e-5
    assert found.same == found.sentences == 48


def test_float32_of_a_stream_model_is_equal_in_sentences_of_all_lengths(tmp_path):
    torch.manual_seed(0)
    save_model(stream_runtime("norm=pre", dtype=torch.float32).model, tmp_path / "model")
    export_model(tmp_path / "model", tmp_path / "out")
    found = parity(tmp_path / "model", tmp_path / "out", config=CONFIG, threads=1)
    assert max(found.score, found.prefix, found.steps) < 1e-4
    assert found.same == found.sentences == 48


def test_int8_is_near(model, tmp_path):
    export_model(model, tmp_path / "out", int8=True)
    found = parity(model, tmp_path / "out", config=CONFIG, threads=1)
    for difference in (found.score, found.prefix, found.steps):
        assert 1e-5 < difference < 0.5
    assert found.same <= found.sentences


def test_another_model_is_far(model, tmp_path):
    torch.manual_seed(1)
    other = TorchRuntime.load(model).model
    with torch.no_grad():
        for parameter in other.parameters():
            parameter += 0.5 * torch.randn_like(parameter)
    save_model(other, tmp_path / "other")
    export_model(tmp_path / "other", tmp_path / "out")
    documents = [[[5, 6, 7], [], [8]], [[9]], [[6, 6], [7]]]
    found = parity(model, tmp_path / "out", documents, CONFIG, threads=1)
    assert min(found.score, found.prefix, found.steps) > 0.1
    assert found.sentences == 6
    assert found.same < 6
