"""Benchmarks of corpora and training, on the toy corpus."""

from pathlib import Path

import pytest
from benchmarks.corpus import loader, prepare, roundtrip

from longways.benchmark import training
from longways.errors import CorpusError
from longways.model.config import preset
from longways.recipes import RECIPES
from tests.training.runs import prepare_toy

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Path:
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data").folder


def test_the_loader_reads_every_window_once(toy):
    result = loader.measure(toy, lengths=(1, 4), tokens=400)
    assert [row["L"] for row in result.rows] == [1, 4]
    assert result.rows[1]["windows"] > result.rows[0]["windows"]
    assert all(row["shapes"] <= 24 for row in result.rows)
    assert all(row["target tokens a second"] > 0 for row in result.rows)


def test_preparing_is_measured_in_a_process_of_its_own(tmp_path):
    row = prepare.measure([RECIPES / "toy"], tmp_path).rows[0]
    assert (row["corpus"], row["documents"]) == ("toy", "600 / 50 / 50")
    assert row["peak MB"] > 10
    with pytest.raises(CorpusError, match="There is no"):
        prepare.measure([RECIPES / "opendocs-zh-en"], tmp_path)


def test_sentencepiece_restores_the_text(toy):
    rows = roundtrip.measure([toy], Path()).rows
    assert [row["language"] for row in rows] == ["toy", "en"]
    assert all(row["exactly"] == row["after normalisation"] == 1.0 for row in rows)


def test_training_speed_counts_real_tokens(toy, monkeypatch):
    def tiny(name: str, **sizes: int):
        small = {"dim": 16, "heads": 2, "feed_forward": 32, "pool": 16}
        return preset(name, "encoder_layers=1", "decoder_layers=1", **small, **sizes)

    monkeypatch.setattr(training, "preset", tiny)
    rows = training.measure(toy, "cpu", updates=2, tokens=400).rows
    assert [row["model"] for row in rows] == [name for name, _ in training.MODELS]
    assert all(row["target tokens a second"] > 0 for row in rows)
