"""Search with a shortlist is measured beside search among all tokens, with both translations."""

import numpy as np
import pytest
from benchmarks.decoding import shortlist

from longways.decoding.shortlist.folder import StoredShortlist
from longways.decoding.shortlist.shortlist import Shortlist
from longways.export.exporter import export_with_shortlist
from longways.translation.model_folder import default_model

V = 16_000
LINES = ["a\t打开终端。\tOpen the terminal.", "a\t运行命令。\tRun it.", "b\t好。\tFine."]


@pytest.mark.parametrize("listed", [V, 300])
def test_both_searches_are_measured_in_every_setting(listed, tmp_path):
    lists = Shortlist(np.arange(listed), np.zeros(0, np.int64), np.zeros(V + 1, np.int64), V)
    stored = StoredShortlist(lists, {"coverage": 0.5})
    export_with_shortlist(default_model(), tmp_path / "model", stored)
    data = tmp_path / "test.en.tsv"
    data.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    result = shortlist.measure(shortlist.Plan(tmp_path / "model", data, beams=(2,), rounds=1))
    assert [(row["documents together"], row["search"]) for row in result.rows] == [
        (together, name) for together in (1, 32) for name in ("all tokens", "shortlist")
    ]
    assert [row["sentences"] for row in result.rows] == [3] * 4
    assert result.settings["shortlist"]["coverage"] == 0.5
    for row in result.rows:
        assert row["sentences a CPU second"] > 0
        all_same = listed == V or row["search"] == "all tokens"
        assert (row["same sentences"] == "100.0%") == all_same


def test_documents_are_cut_so_that_many_of_them_have_few_sentences():
    documents = [["a"] * 5, ["b"] * 2, ["c"] * 9, ["d"]]
    assert shortlist._chosen(documents, 1, 6) == [["a"] * 5, ["b"] * 2]
    assert shortlist._chosen(documents, 4, 8) == [["a"] * 2, ["b"] * 2, ["c"] * 2, ["d"]]
