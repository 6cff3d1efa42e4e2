"""The benchmark of window lengths with trained models, and sources from their data."""

from pathlib import Path

import numpy as np
import pytest
import torch

from longways.benchmark.speed.config import SpeedConfig
from longways.benchmark.speed.measure import measure
from longways.benchmark.speed.models import new_model, rfa_config, speed_model
from longways.benchmark.speed.windows import Shape, windows_of
from longways.config import build
from longways.corpus.prepare import prepare
from longways.corpus.recipe import CorpusConfig
from longways.errors import ConfigError
from longways.model.checkpoint import save_model
from longways.model.config import preset
from longways.text.tokenizers.special_tokens import EOS, SEP
from tests.command import longways
from tests.training.runs import QUIET

SMALL = {
    "dim": 32, "heads": 4, "feed_forward": 48, "encoder_layers": 1, "decoder_layers": 1,
    "positions": 64,
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    parts = {"train": 12, "dev": 3, "test": 2}
    toys = {name: {"format": "toy", "documents": n, "seed": n} for name, n in parts.items()}
    texts = {"source_language": "toy", "target_language": "en", "text": {"vocabulary": 400}}
    folder = tmp_path_factory.mktemp("toy") / "toy-data"
    return prepare(build(CorpusConfig, {**texts, **toys}, "test"), Path(), folder, QUIET)


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """An RFA model of that vocabulary, whose weights no benchmark would draw."""
    words = dict(zip(("source_vocabulary", "target_vocabulary"), data.vocabularies, strict=True))
    model = new_model(rfa_config("8+4", {**SMALL, **words}), "cpu")
    with torch.no_grad():
        model.decoder.embedding.tokens.weight.mul_(1.5)
    place = tmp_path_factory.mktemp("model") / "rfa"
    save_model(model, place)
    return place


def config(data, folder, **settings) -> SpeedConfig:
    given = {"lengths": [1, 2], "batches": ["3"], "systems": ["concat", "8+4"], "rounds": 1}
    models = {"trained": {"8+4": folder}, "prepared": data.folder}
    return SpeedConfig(**{**given, **models, "threads": 1, **settings})


def test_trained_models_decode_their_own_sources(data, folder, monkeypatch):
    small = {name: size for name, size in SMALL.items() if name != "positions"}
    monkeypatch.setattr(
        "longways.benchmark.speed.models.preset",
        lambda *names, **sizes: preset(*names, **{**small, **sizes}),
    )  # or the transformer beside it would have its full size
    found = measure(config(data, folder), lambda _: None)
    assert [row["system"] for row in found.rows] == ["concat", "8+4"] * 2
    assert all(row["tokens/s"] > 0 for row in found.rows)
    assert found.settings["weights"] == "trained: 8+4; else random"
    assert found.settings["sources"] == "toy-data"
    assert found.settings["source_vocabulary"] == data.vocabularies[0]
    assert str(folder) not in str(found.settings)


def test_trained_weights_are_loaded_from_the_folder(folder):
    model = speed_model("8+4", {}, {"8+4": folder}, "cpu")
    again = new_model(model.config, "cpu")
    weight, drawn = (one.decoder.embedding.tokens.weight for one in (model, again))
    assert torch.equal(weight, 1.5 * drawn)


def test_windows_are_cut_from_a_text_which_is_repeated(data):
    text = data.split("test").source
    assert (text == SEP).sum() == data.split("test").sentences
    first, second = windows_of(Shape(1, 2, "2"), 0, text=text)
    assert first.source == [*text[:19].tolist(), EOS]
    assert second.source == [*text[20:39].tolist(), EOS]
    many = windows_of(Shape(1, 2 + len(text) // 20, "many"), 0, text=text)
    assert many[-1].source[:-1] == np.tile(text, 2)[20 * len(many) - 20 :][:19].tolist()


def test_bad_input_is_one_sentence(data, folder, tmp_path):
    words = {"source_vocabulary": 9, "target_vocabulary": 9}
    save_model(new_model(preset("transformer", **SMALL, **words), "cpu"), tmp_path / "other")
    both = {"8+4": folder, "transformer": tmp_path / "other"}
    wrong = [
        ({"lengths": [4]}, "81 tokens, but the trained models have 64 positions"),
        ({"trained": {"9+4": folder}}, r"trained model for '9\+4', but no such system"),
        ({"trained": both}, r"trained models differ: 8\+4 has source_vocabulary"),
        ({"trained": {"transformer": tmp_path / "other"}}, "other vocabularies than"),
    ]
    for settings, words in wrong:
        with pytest.raises(ConfigError, match=words):
            measure(config(data, folder, **settings), print)


def test_a_trained_model_is_named_with_its_system():
    ended = longways("bench", "speed", "--trained", "64+32")
    assert ended.returncode == 2
    assert "'64+32' names no model. Write it as in transformer=" in ended.stderr
