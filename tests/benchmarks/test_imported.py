"""The benchmark of imported models compares the same numbers in both programs."""

import pytest
from benchmarks.decoding import imported

pytest.importorskip("ctranslate2")

SIZES = {"dim-emb": 32, "transformer-dim-ffn": 64, "transformer-heads": 4, "enc-depth": 1,
         "dec-depth": 1}  # fmt: skip


def test_both_programs_are_measured_after_their_numbers_were_compared():
    found = imported.measure(
        threads=1, beams=2, rounds=2, batches=(3,), words=90, sizes=SIZES, tokens=6
    )
    assert [row["sentences"] for row in found.rows] == [3]
    for row in found.rows:
        assert row["tokens / CPU s"] > 0
        assert row["CTranslate2 tokens / CPU s"] > 0
        assert min(row["MB"], row["CTranslate2 MB"]) > 0
        assert max(row["error"], row["CTranslate2 error"]) < imported.MAX_ERROR


def test_wrong_numbers_are_never_measured(monkeypatch):
    monkeypatch.setattr(imported, "MAX_ERROR", 0.0)
    with pytest.raises(AssertionError, match="from float32"):
        imported.measure(threads=1, rounds=2, batches=(1,), words=90, sizes=SIZES, tokens=6)
