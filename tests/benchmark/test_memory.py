"""The memory of long texts, on tiny models."""

import subprocess
import sys

import pytest

from longways.benchmark import decode_memory
from longways.errors import ConfigError

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
