"""Peak memory of decoding long texts, on tiny models."""

import subprocess
import sys

import pytest

from longways.benchmark import memory
from longways.errors import ConfigError

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 50, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 1, "decoder_layers": 1,
}  # fmt: skip


def test_a_longer_text_is_decoded_with_the_same_state():
    found = memory.measure([5, 400], "8+4", 1, SIZES)
    short, long = found.rows
    assert (short["tokens"], long["tokens"]) == (5, 400)
    assert short["state bytes"] == long["state bytes"] > 0
    assert short["source bytes"] == long["source bytes"] > 0
    assert long["over the first"] == pytest.approx(1.0, abs=0.2)
    token = 2 * 32 * 4  # a key and a value
    assert long["a transformer's state bytes"] == 400 * token
    assert found.settings["positions"] == 401


def test_a_text_without_tokens_is_refused():
    with pytest.raises(ConfigError, match="at least 1 token"):
        memory.measure([0], "8+4", 1, SIZES)


SCRIPT = """
from longways.benchmark.memory import peak_memory, reset_peak_memory
if not reset_peak_memory():
    raise SystemExit("cannot reset")
before, size = peak_memory(), 2**26
held = bytearray(b"1") * size
del held
highest = peak_memory()
assert before + 0.9 * size < highest < before + 2 * size, (before, highest)
assert reset_peak_memory()
assert peak_memory() < highest - 0.9 * size, (peak_memory(), highest)
"""


def test_the_peak_of_a_process_falls_only_when_it_is_reset():
    """In its own process: here other threads may free memory at the same time."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    if "cannot reset" in done.stderr:
        pytest.skip("only Linux can reset the peak")
    assert done.returncode == 0, done.stderr
