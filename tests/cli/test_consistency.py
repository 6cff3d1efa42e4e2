"""`longways consistency` on a made-up set, with a model that knows nothing yet."""

import json
import subprocess
import sys

import pytest

from tests.training.runs import train_tiny


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return train_tiny(tmp_path_factory.mktemp("consistency"), updates=4)


def run(*arguments):
    command = [sys.executable, "-m", "longways", "consistency", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_either_answer_is_right_once_and_twins_tie(model, tmp_path):
    """One item with either answer, and one whose candidates are the same."""
    candidates = ["Ana reads . _eos Ana writes .", "Ana reads . _eos Ben writes ."]
    source = "rona tokim . _eos ze haverim ."
    items = [{"src": source, "dst": candidates, "true_ind": i, "ctx_dist": 1} for i in (0, 1)]
    twins = {"src": source, "dst": candidates[:1] * 2, "true_ind": 0, "ctx_dist": 2}
    path = tmp_path / "made-up.json"
    path.write_text(json.dumps([*items, twins]))
    done = run(model, path, "--window", "1", "--window", "2", "-o", tmp_path / "out.json")
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert [(row["L"], row["items"], row["ties"]) for row in rows] == [(1, 3, 1), (2, 3, 1)]
    assert all(row["accuracy"] == round(1 / 3, 4) for row in rows)
    assert rows[0]["by distance"] == {"distance 1": 0.5, "distance 2": 0.0}
    assert rows[0]["guessing"] == 0.5


def test_a_set_that_is_none_is_refused(model, tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('[{"src": "a"}]')
    done = run(model, path)
    assert done.returncode == 2
    assert "bad.json, item 1: needs src (text), dst (texts) and true_ind" in done.stderr
