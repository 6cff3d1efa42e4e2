"""`longways consistency` on made-up sets, with models that know nothing yet."""

import json
import sys

import pytest

from longways.cli import main
from tests.command import longways
from tests.training.runs import train_tiny

CANDIDATES = ["Ana reads . _eos Ana writes .", "Ana reads . _eos Ben writes ."]
GOOD = {"src": "rona tokim . _eos ze haverim .", "dst": CANDIDATES, "true_ind": 0, "ctx_dist": 1}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return train_tiny(tmp_path_factory.mktemp("consistency"), updates=4)


@pytest.fixture(scope="module")
def sentence_model(tmp_path_factory, model):
    """The same weights in a folder that says they were trained on single sentences."""
    folder = tmp_path_factory.mktemp("sentences") / "sentence-level"
    folder.mkdir()
    for path in model.iterdir():
        (folder / path.name).symlink_to(path)
    config = json.loads((model / "config.json").read_text())
    config["facts"]["L"] = 1
    (folder / "config.json").unlink()
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def run(*arguments, **environment):
    return longways("consistency", *arguments, **environment)


def write_set(path, items):
    path.write_text(json.dumps(items))
    return path


def test_either_answer_is_right_once_and_twins_tie(model, tmp_path):
    """One item with either answer, and one whose candidates are the same."""
    twins = {**GOOD, "dst": CANDIDATES[:1] * 2, "ctx_dist": 2}
    path = write_set(tmp_path / "made-up.json", [GOOD, {**GOOD, "true_ind": 1}, twins])
    out = tmp_path / "new" / "out.json"
    done = run(model, path, "--window", "1", "--window", "2", "-o", out)
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text())["rows"]
    assert [(row["L"], row["items"], row["ties"]) for row in rows] == [(1, 3, 1), (2, 3, 1)]
    assert all(row["accuracy"] == round(1 / 3, 4) for row in rows)
    assert rows[0]["by distance"] == {"distance 1": 0.5, "distance 2": 0.0}
    assert rows[0]["guessing"] == 0.5
    assert "0.333" in done.stdout
    assert [path.name for path in out.parent.iterdir()] == ["out.json"]


def test_several_models_and_sets_make_one_table_and_one_figure(model, sentence_model, tmp_path):
    """Sets in a folder below LONGWAYS_DATA; a sentence-level model has last sentences only."""
    (tmp_path / "sets").mkdir()
    write_set(tmp_path / "sets" / "deixis.json", [GOOD])
    write_set(tmp_path / "sets" / "ellipsis.json", [{**GOOD, "true_ind": 1}])
    figure = tmp_path / "figure.svg"
    done = run(
        model, sentence_model, "sets", "--json", "--plot", figure, LONGWAYS_DATA=str(tmp_path)
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["model"], row["set"], row["L"]) for row in rows] == [
        ("run", "deixis", 1),
        ("run", "deixis", 2),
        ("run", "ellipsis", 1),
        ("run", "ellipsis", 2),
        ("sentence-level", "deixis", 1),
        ("sentence-level", "ellipsis", 1),
    ]
    one, two = rows[0], rows[2]
    assert one["accuracy"] + two["accuracy"] == 1.0
    assert rows[4]["accuracy"] == one["accuracy"]
    assert figure.stat().st_size > 5_000


BAD = {
    "not JSON": ("{", "bad.json is not valid JSON"),
    "no list": (GOOD, "bad.json must be a JSON list"),
    "no items": ([], "bad.json has no items"),
    "missing fields": (
        [GOOD, {"src": "a"}],
        "bad.json, item 2: needs src (text), dst",
    ),
    "no candidates": ([{**GOOD, "dst": []}], "bad.json, item 1: true_ind is 0, but dst has 0"),
    "one candidate": ([{**GOOD, "dst": CANDIDATES[:1]}], "item 1: dst has a single candidate"),
    "no such true one": ([{**GOOD, "true_ind": 2}], "item 1: true_ind is 2, but dst has 2 texts"),
    "fewer sentences": ([{**GOOD, "dst": ["a", "b"]}], "item 1: src has 2 sentences"),
    "another context": (
        [GOOD, {**GOOD, "dst": [CANDIDATES[0], "Ben reads . _eos Ana writes ."]}],
        "bad.json, item 2: candidate 2 has another sentence 1 of 2 than the first one",
    ),
}


@pytest.fixture
def refused(monkeypatch, capsys):
    """The command as it is started, but in this process: code 2 and one sentence on stderr."""

    def refused(message, *arguments):
        monkeypatch.setattr(sys, "argv", ["longways", "consistency", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        assert (stopped.value.code, said.out) == (2, "")
        assert said.err.startswith("longways: ")
        assert message in said.err
        assert said.err.count("\n") == 1

    return refused


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_a_set_that_is_none_is_refused(refused, model, tmp_path, content, message):
    path = tmp_path / "bad.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    refused(message, model, path)


def test_what_cannot_be_asked_is_refused(refused, model, sentence_model, tmp_path):
    path = write_set(tmp_path / "good.json", [GOOD])
    message = "was trained with one sentence in a window, so it cannot be tested with L=2"
    refused(message, model, sentence_model, path, "--window", "2")
    refused("have up to 2 sentences, so there are no windows", model, path, "--window", "3")
    refused("a window has at least one sentence", model, path, "--window", "0")
    refused("figure.pdf must end in .png or .svg", model, path, "--plot", "figure.pdf")
    refused("but it must be cpu or cuda", model, path, "--device", "tpu")


def test_paths_that_lead_nowhere_are_refused(refused, model, tmp_path):
    path = write_set(tmp_path / "good.json", [GOOD])
    (tmp_path / "empty").mkdir()
    refused(f"no file or folder {tmp_path / 'gone.json'}", model, tmp_path / "gone.json")
    refused("empty is neither a model folder", tmp_path / "empty", path)
    refused(f"is a run, not a model. Name the model in it: {model}", model.parent, path)
    refused("There is a model, but no contrastive set", model)
    refused("There is a set, but no model folder", path)
    refused("are both called good", model, path, path)
    refused("Two models are called run", model, model, path)


def test_a_wrong_set_ends_the_real_command_with_two(model, tmp_path):
    path = write_set(tmp_path / "bad.json", [GOOD, {"src": "a"}])
    done = run(model, path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"longways: {path}, item 2: needs src (text), dst")


def test_a_window_longer_than_the_model_names_file_and_item(refused, model, tmp_path):
    long = {**GOOD, "dst": ["Ana . _eos " + "Ana reads . " * 100 + name for name in "ab"]}
    path = write_set(tmp_path / "long.json", [GOOD, long])
    refused(f"{path}, item 2: a window of L=1 has", model, path)
