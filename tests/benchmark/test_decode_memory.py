"""The memory of long texts, and what following the beams costs, on tiny models."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from longways.benchmark import decode_memory, reorder
from longways.benchmark.reorder_device import DeviceSteps
from longways.benchmark.speed_models import new_model
from longways.benchmark.speed_windows import Shape
from longways.errors import ConfigError
from longways.model.config import preset
from longways.runtime.choosing import read_tokens

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 50, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 1, "decoder_layers": 1,
}  # fmt: skip


def test_a_longer_text_is_written_with_the_same_state():
    found = decode_memory.measure([5, 400], "8+4", 1, SIZES)
    short, long = found.rows
    assert (short["tokens"], long["tokens"]) == (5, 400)
    assert short["state bytes"] == long["state bytes"] > 0
    assert short["source bytes"] == long["source bytes"] > 0
    assert long["over the first"] == pytest.approx(1.0, abs=0.2)
    token = 2 * 32 * 4  # a key and a value
    assert long["a transformer's state bytes"] == 400 * token
    assert found.settings["positions"] == 401


def test_a_text_without_tokens_is_one_sentence():
    with pytest.raises(ConfigError, match="at least 1 token"):
        decode_memory.measure([0], "8+4", 1, SIZES)


ALONE = """
from longways.benchmark.peak import forget_peak, peak_memory
if not forget_peak():
    raise SystemExit("cannot forget")
before, size = peak_memory(), 2**26
held = bytearray(b"1") * size
del held
highest = peak_memory()
assert before + 0.9 * size < highest < before + 2 * size, (before, highest)
assert forget_peak()
assert peak_memory() < highest - 0.9 * size, (peak_memory(), highest)
"""


def test_the_peak_of_a_process_falls_only_when_it_is_forgotten():
    """In a process of its own: here others may let memory go meanwhile."""
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    if "cannot forget" in done.stderr:
        pytest.skip("only Linux forgets")
    assert done.returncode == 0, done.stderr


def test_following_the_beams_is_measured_for_every_engine():
    plan = reorder.Plan("cpu", [1], [2], ["8+4"])
    found = reorder.measure(plan, 2, 1, {**SIZES, "positions": 256})
    assert [row["engine"] for row in found.rows] == [
        "concat-shared", "8+4, ONNX int8", "8+4, torch",
    ]  # fmt: skip
    for row in found.rows:
        assert row["step ms"] > 0
        assert row["share %"] == pytest.approx(
            100 * (1 - row["still ms"] / row["step ms"]), abs=1.0
        )


@pytest.mark.parametrize("kind", ["rfa-sgate", "transformer"])
def test_steps_on_a_device_are_measured_with_parents_and_without(kind):
    model = new_model(preset(kind, **SIZES, positions=256), "cpu")
    stepping = DeviceSteps(model, Shape(1, 2, "2"))
    for parents in (None, np.zeros((2, 4), dtype=np.int64)):
        assert stepping.step(parents) == []
    with torch.inference_mode():
        for steps, follows in ((stepping.moved, True), (stepping.still, False)):
            reading = steps._reading()
            turn = steps._turn(read_tokens(steps.search, reading), reading.last + 1)
            assert (turn.parents is not None) == follows


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("tpu", [1], [1]), "must be cpu or cuda"),
        (("cpu", [0], [1]), "must be at least 1"),
        (("cpu", [1], [0]), "must be at least 1"),
    ],
)
def test_bad_input_is_one_sentence(given, words):
    with pytest.raises(ConfigError, match=words):
        reorder.Plan(*given, ["8+4"])
