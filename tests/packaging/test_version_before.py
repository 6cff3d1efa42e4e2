"""Folders and files that the version before wrote still work, with the same output.

`files/version-before.tar.xz` was written by commit c7aa965, the last one before the package was
divided into sub-packages: prepared data and a stopped run of the toy task, its export, saved
translations, and a journal of a translation that was killed.
"""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ARCHIVE = Path(__file__).parent / "files" / "version-before.tar.xz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("version-before")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def longways(folder):
    def run(*arguments):
        command = [sys.executable, "-m", "longways", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("model", ["run/best", "exported"])
def test_a_model_folder_translates_to_the_same_text(folder, longways, model):
    expected = (folder / "page.expected.txt").read_text()
    assert longways("translate", "page.toy.txt", "--model", model, "-o", "-") == expected


def test_a_journal_is_resumed(folder, longways):
    journal, text = folder / "long.en.txt.journal", folder / "long.en.txt"
    kept = journal.read_text()
    assert 50 < len(kept.splitlines()) < 600  # the text has 600 sentences
    longways("translate", "long.toy.txt", "--model", "exported", "--beam", "1")
    expected = (folder / "long.expected.txt").read_text()
    assert text.read_text() == expected
    assert not journal.exists()

    # The proof that its sentences are used: one that the journal changes is changed in the text.
    header, first, second, *_ = kept.splitlines()
    changed = [*json.loads(first)[:2], *json.loads(second)[2:]]
    journal.write_text(f"{header}\n{json.dumps(changed)}\n")
    text.unlink()
    longways("translate", "long.toy.txt", "--model", "exported", "--beam", "1")
    assert text.read_text().splitlines()[0] == expected.splitlines()[1]


def test_prepared_data_and_saved_translations_give_the_same_scores(longways):
    saved = "kept/run-L4-beam1-test.json"
    told = longways("evaluate", saved, "run/best", "exported", "prepared", "--beam", "1", "--json")
    rows = json.loads(told)["rows"]
    assert [row["document BLEU"] for row in rows] == [rows[0]["document BLEU"]] * 3
    assert [row["loss"] for row in rows] == pytest.approx([rows[0]["loss"]] * 3, rel=1e-3)
    shown = json.loads(longways("info", "prepared", "--json"))
    assert [row["documents"] for row in shown["rows"]] == [30, 3, 3]


def test_a_run_is_shown_and_resumed(folder, longways):
    state = json.loads(longways("info", "run", "--json"))
    assert (state["update"], state["of"]) == (4000, 10_000)
    assert "To resume: longways train recipes/toy run" in longways("info", "run")
    (folder / "recipe.toml").write_text(_recipe(state["config"]), encoding="utf-8")
    options = ["--prepared", "prepared", "--device", "cpu", "--allow-changes"]
    longways("train", "recipe.toml", "run", *options)
    assert json.loads(longways("info", "run", "--json"))["update"] == 4002


def _recipe(config):
    """The settings of the run as a recipe that ends two updates later."""
    for key in ("source_vocabulary", "target_vocabulary"):
        del config["model"][key]
    config["training"] |= {"updates": 4002}
    rows = []
    for table, values in config.items():
        rows += [f"{table}.{key} = {_toml(value)}" for key, value in values.items()]
    return "\n".join(rows) + "\n"


def _toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {json.dumps(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)
