"""`longways export`, and translating with what it wrote."""

import pytest

from tests.command import longways
from tests.training.runs import train_tiny

STREAM = {"preset": "stream", "stream": {"heads": 1, "projection": 4}}


@pytest.fixture(scope="module", params=["window", "stream"])
def model(request, tmp_path_factory):
    of_kind = STREAM if request.param == "stream" else {}
    return train_tiny(tmp_path_factory.mktemp("export"), updates=20, **of_kind)


def test_an_exported_model_translates_as_its_original_does(model, tmp_path):
    done = longways("export", model, tmp_path / "out", "--float32")
    assert done.returncode == 0, done.stderr
    assert "MB" in done.stderr
    assert "translated alike" in done.stdout
    text = "rona velu tokim\nmirel soti\nze lun haverim\n"
    both = [longways("translate", "--model", m, "-", text=text) for m in (model, tmp_path / "out")]
    assert both[0].stdout == both[1].stdout
    assert both[0].stdout.count("\n") == 3


def test_an_exported_model_is_evaluated(model, tmp_path):
    done = longways("export", model, tmp_path / "out", "--no-check")
    assert done.returncode == 0, done.stderr
    pairs = [("a", "rona velu tokim", "one two"), ("a", "mirel soti", "three")]
    (tmp_path / "pairs.tsv").write_text("".join("\t".join(pair) + "\n" for pair in pairs))
    found = longways("evaluate", tmp_path / "out", tmp_path / "pairs.tsv")
    assert found.returncode == 0, found.stderr
    assert "BLEU" in found.stdout


def test_a_folder_that_is_there_is_replaced_only_by_force(model, tmp_path):
    (tmp_path / "out").mkdir()
    refused = longways("export", model, tmp_path / "out", "--no-check")
    assert refused.returncode == 2
    assert "exists already" in refused.stderr
    forced = longways("export", model, tmp_path / "out", "--no-check", "--force")
    assert forced.returncode == 0, forced.stderr
    assert (tmp_path / "out" / "decoder.onnx").exists()


def test_an_exported_model_translates_with_a_shortlist(model, tmp_path):
    data = model.parents[1] / "data"
    done = longways("export", model, tmp_path / "plain", "--no-check")
    assert done.returncode == 0, done.stderr
    done = longways("export", tmp_path / "plain", tmp_path / "listed", "--shortlist", data)
    assert done.returncode == 0, done.stderr
    assert "of the reference tokens of the dev split" in done.stderr
    text = "rona velu tokim\nmirel soti\nze lun haverim\n"
    listed = longways("translate", "--model", tmp_path / "listed", "--shortlist", "-", text=text)
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.count("\n") == 3
    missing = longways("translate", "--model", tmp_path / "plain", "--shortlist", "-", text=text)
    assert missing.returncode == 2
    assert "has no shortlist. Add one with `longways export" in missing.stderr.replace("\n", " ")


def test_a_shortlist_is_measured(model, tmp_path):
    data = model.parents[1] / "data"
    done = longways("export", model, tmp_path / "out", "--no-check", "--shortlist", data)
    assert done.returncode == 0, done.stderr
    found = longways(
        "evaluate", tmp_path / "out", data, "--split", "dev", "--shortlist", "--json",
        "--save", tmp_path / "saved",
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert '"shortlist": true' in found.stdout
    (saved,) = (tmp_path / "saved").iterdir()
    assert "beam4-shortlist" in saved.name
    refused = longways(
        "evaluate", tmp_path / "out", data, "--split", "dev", "--shortlist", "--at-limit", "end"
    )
    assert refused.returncode == 2
    assert "Leave one of them out" in refused.stderr.replace("\n", " ")


def test_a_default_without_a_shortlist_is_refused(model, tmp_path):
    done = longways("export", model, tmp_path / "out", "--shortlist-by-default")
    assert done.returncode == 2
    assert "Name data with --shortlist" in done.stderr.replace("\n", " ")
