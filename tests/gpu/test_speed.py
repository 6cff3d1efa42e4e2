"""The speed benchmark on a GPU checks and measures every system in bfloat16."""

import pytest
from benchmarks.decoding import reorder

from longways.benchmark.speed.check import TOLERANCE
from longways.benchmark.speed.config import SpeedConfig
from longways.benchmark.speed.measure import measure

pytestmark = pytest.mark.gpu

SIZES = {
    "source_vocabulary": 1000, "target_vocabulary": 1000, "dim": 256, "heads": 4,
    "feed_forward": 256, "encoder_layers": 2, "decoder_layers": 2, "positions": 512,
}  # fmt: skip

SYSTEMS = ["concat", "prealloc", "64+32", "hybrid+32"]


@pytest.mark.parametrize("beams", [1, 4])
def test_every_system_is_checked_and_measured(beams):
    config = SpeedConfig(
        device="cuda",
        lengths=[1, 5],
        batches=["3", "largest"],
        systems=SYSTEMS,
        beams=beams,
        rounds=1,
        sizes=SIZES,
    )
    found = measure(config, lambda _: None)
    assert [row["system"] for row in found.rows] == SYSTEMS * 4
    assert all(row["tokens/s"] > 0 and row["peak MB"] > 0 for row in found.rows)
    for name in SYSTEMS:
        assert float(found.settings[f"{name} differs by"]) < TOLERANCE["bfloat16"]


def test_reordering_of_beams_is_measured():
    found = reorder.measure(reorder.Plan("cuda", [1], [2], ["64+32"]), 2, 1, SIZES)
    assert [row["system"] for row in found.rows] == ["prealloc", "concat", "64+32"]
    assert all(row["step ms"] > 0 for row in found.rows)
