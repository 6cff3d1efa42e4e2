"""The benchmark of window lengths, on a tiny model."""

import pytest

from longways.benchmark import speed
from longways.errors import ConfigError

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 60, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 1, "decoder_layers": 1, "positions": 64,
}  # fmt: skip


def test_every_engine_is_measured_for_every_length_and_batch():
    found = speed.measure([1, 2], [1, 3], ["8+4"], 1, 1, 1, SIZES)
    assert [(row["L"], row["batch"]) for row in found.rows] == [(1, 1), (1, 3), (2, 1), (2, 3)]
    assert all(row["RFA 8+4: tokens/s"] > 0 for row in found.rows)
    there = "left out" not in found.settings
    assert all(("RFA 8+4: ratio" in row) is there for row in found.rows)
    assert there is ("largest difference in log-probability" in found.settings)


def test_without_ctranslate2_the_rest_goes_on(monkeypatch):
    def missing(name):
        raise ConfigError(f"{name} is not installed.")

    monkeypatch.setattr(speed, "load_package", missing)
    found = speed.measure([1], [1], ["8+4"], 2, 1, 1, SIZES)
    assert found.settings["left out"] == "ctranslate2 is not installed."
    assert list(found.rows[0]) == ["L", "batch", "RFA 8+4: tokens/s"]


@pytest.mark.parametrize("features", ["64", "a+b", "64-32"])
def test_projections_that_are_none_are_one_sentence(features):
    with pytest.raises(ConfigError, match="are no projections"):
        speed.measure([1], [1], [features], 1, 1, 1, SIZES)
