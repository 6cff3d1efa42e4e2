"""CTranslate2 says the same as our transformer."""

import pytest
import torch
from torch import nn

from longways.benchmark.speed.ctranslate import CTranslate, convert
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.runtime import pad_rows
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.model.config import preset
from longways.model.translation import TranslationModel

pytest.importorskip("ctranslate2")

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 50, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 2, "decoder_layers": 2, "positions": 64,
}  # fmt: skip

SOURCES = [[7, 9, 3, 20, 2], [5, 6, 2], [*range(10, 40), 2]]


@pytest.fixture(params=["gelu", "swish", "relu"])
def model(request):
    torch.manual_seed(3)
    norm = "post" if request.param == "swish" else "pre"
    changed = {"activation": request.param, "norm": norm, "output_bias": norm == "post"}
    model = TranslationModel(preset("transformer", **SIZES, **changed)).eval()
    if model.output_bias is not None:
        nn.init.normal_(model.output_bias)
    return model


@pytest.fixture(params=["one thread", "windows shared out", "operations shared"])
def both(request, model, tmp_path):
    convert(model, tmp_path / "model", quantization=None)
    threads, shared = 1 + (request.param != "one thread"), request.param == "operations shared"
    return TorchRuntime(model), CTranslate(tmp_path / "model", threads, shared=shared)


def test_the_same_weights_give_the_same_translations(both):
    ours, theirs = both
    windows = [Window(source, [1], 8, 8, separators=0) for source in SOURCES]
    how = TranslateConfig(search=SearchConfig(beams=1))
    found = [one[0].tokens for one in decode(ours, windows, how)]
    assert [tokens[:8] for tokens in theirs.translate(SOURCES, 8, least=8)] == found


def test_the_same_weights_give_the_same_probabilities(both):
    ours, theirs = both
    targets = [[4, 30, 12, 7, 2], [9, 2], [49, 3, 8, 8, 41, 2]]
    wanted = ours.score(pad_rows(SOURCES), pad_rows(targets))
    for row, found, target in zip(wanted, theirs.score(SOURCES, targets), targets, strict=True):
        assert found == pytest.approx(row[: len(target)], abs=1e-4)


@pytest.mark.parametrize(
    "named", [("hybrid",), ("transformer", "cross.key_heads=1"), ("transformer", "cross.means=3")]
)
def test_what_is_no_plain_transformer_cannot_be_converted(named, tmp_path):
    model = TranslationModel(preset(*named, **SIZES))
    with pytest.raises(ConfigError, match="softmax attention only"):
        convert(model, tmp_path / "model")


def test_a_model_is_as_it_was_after_it_was_quantised(tmp_path):
    torch.manual_seed(3)
    model = TranslationModel(preset("transformer", **SIZES))
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    convert(model, tmp_path / "model")
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
