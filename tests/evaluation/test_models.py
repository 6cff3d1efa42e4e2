"""Models side by side."""

import json
import subprocess
import sys

import pytest

from longways.errors import CorpusError
from longways.evaluation.models import judge_models, rows
from longways.evaluation.score import score_documents
from longways.model.checkpoint import load_model
from longways.training.loop import Trainer
from longways.translate import split_references
from tests.training.runs import ALONE, prepare_toy, tiny_run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


@pytest.fixture(scope="module")
def runs(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, updates in (("short", 4), ("long", 40)):
        (folder / name).mkdir()
        config = tiny_run(data, updates=updates, learning_rate=5e-3)
        Trainer(config, data, folder / name, ALONE).run()
    return [folder / "short" / "best", folder / "long" / "best"]


def test_every_model_is_scored_and_compared_with_the_first(data, runs):
    judged = judge_models(runs, data, "dev", beams=1)
    table = rows(judged, data, "dev")
    assert [row["model"] for row in table] == ["short", "long"]
    assert [row["L"] for row in table] == [4, 4]
    assert table[0]["loss difference"].startswith("+0.0000")
    assert table[1]["loss"] < table[0]["loss"]
    references = split_references(data.split("dev"), data.text())
    for model, row in zip(judged, table, strict=True):
        wanted = score_documents(model.output, references).document_bleu.value
        assert row["document BLEU"] == pytest.approx(wanted, abs=0.01)
        assert [len(d) for d in model.output] == [len(d) for d in references]


def test_the_loss_is_the_development_loss_of_training(data, runs):
    trainer = Trainer(tiny_run(data), data, runs[1].parent, ALONE)
    (judged,) = judge_models(runs[1:], data, "dev", beams=1)
    wanted = trainer.judge.development.loss(load_model(runs[1]))
    assert judged.loss == pytest.approx(wanted, rel=1e-5)


def test_a_model_of_another_vocabulary_is_refused(runs, tmp_path):
    other = prepare_toy(tmp_path / "other", seed=9)
    with pytest.raises(CorpusError, match="trained with another vocabulary"):
        judge_models(runs, other, "dev")


def test_the_command_prints_a_table_and_writes_json(data, runs, tmp_path):
    out = tmp_path / "scores.json"
    command = [sys.executable, "-m", "longways", "evaluate", *map(str, runs), str(data.folder)]
    told = subprocess.run(
        [*command, "--part", "dev", "--beam", "1", "-o", str(out)], capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    written = json.loads(out.read_text())
    assert [row["model"] for row in written["rows"]] == ["short", "long"]
    assert "nrefs:1" in written["settings"]["signatures"]["BLEU"]


def test_kept_translations_are_compared_as_their_models_are(data, runs, tmp_path):
    judged = judge_models(runs, data, "dev", beams=1, keep=tmp_path)
    files = [tmp_path / f"{name}-L4-beam1-dev.json" for name in ("short", "long")]
    again = judge_models(files, data, "dev")
    assert rows(again, data, "dev") == rows(judged, data, "dev")
    with pytest.raises(CorpusError, match="translates other documents than those of the train"):
        judge_models(files, data, "train")
    with pytest.raises(CorpusError, match="holds no kept translations"):
        judge_models([tmp_path / "none.json"], data, "dev")
