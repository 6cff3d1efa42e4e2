"""Models side by side."""

import json

import pytest

from longways.errors import ConfigError, CorpusError
from longways.evaluation.comparison import compare
from longways.evaluation.metrics.score import score_documents
from longways.evaluation.models import evaluate_models
from longways.evaluation.test_set import DecodingOptions, PreparedTestSet, RawTestSet, open_test_set
from longways.export.exporter import export_model
from longways.model.checkpoint import load_model
from longways.recipes import RECIPES
from longways.training.loop import Trainer
from longways.translation.dataset import split_references
from longways.translation.translator import load
from tests.command import longways
from tests.training.runs import ALONE, prepare_toy, tiny_run

GREEDY = DecodingOptions(beams=1)


def prepared(data, name="dev"):
    return PreparedTestSet(data, name)


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
    output = evaluate_models(runs, prepared(data), GREEDY)
    table = compare(output, prepared(data)).rows()
    assert [row["model"] for row in table] == ["short", "long"]
    assert [row["L"] for row in table] == [4, 4]
    assert table[0]["loss difference"].startswith("+0.0000")
    assert table[1]["loss"] < table[0]["loss"]
    references = split_references(data.split("dev"), data.text())
    for model, row in zip(output, table, strict=True):
        wanted = score_documents(model.output, references).document_bleu.value
        assert row["document BLEU"] == pytest.approx(wanted, abs=0.01)
        assert [len(d) for d in model.output] == [len(d) for d in references]


def test_the_loss_is_the_development_loss_of_training(data, runs):
    trainer = Trainer(tiny_run(data), data, runs[1].parent, ALONE)
    (output,) = evaluate_models(runs[1:], prepared(data), GREEDY)
    wanted = trainer.validator.dev_loss.loss(load_model(runs[1]))
    assert output.loss == pytest.approx(wanted, rel=1e-5)


def test_a_model_of_another_vocabulary_is_refused(runs, tmp_path):
    other = prepare_toy(tmp_path / "other", seed=9)
    with pytest.raises(CorpusError, match="trained with another vocabulary"):
        evaluate_models(runs, prepared(other))


def command(*arguments):
    return longways("evaluate", *arguments)


def test_the_command_prints_a_table_and_writes_json(data, runs, tmp_path):
    out = tmp_path / "scores.json"
    done = command(*runs, data.folder, "--split", "dev", "--beam", 1, "-o", out, "--by-document")
    assert done.returncode == 0, done.stderr
    written = json.loads(out.read_text())
    assert [row["model"] for row in written["rows"]] == ["short", "long"]
    assert "nrefs:1" in written["settings"]["signatures"]["BLEU"]
    assert "p of loss" in done.stdout
    assert "long: BLEU|nrefs:1" in done.stdout
    names = [document["document"] for document in written["systems"][1]["documents"]]
    assert names == prepared(data).names


def test_the_command_prints_nothing_but_json_of_the_use_of_context(data, runs):
    done = command(runs[0], data.folder, "--split", "dev", "--compare-contexts", "--json")
    assert done.returncode == 0, done.stderr
    assert {row["model"] for row in json.loads(done.stdout)["rows"]} == {"short"}
    refused = command(runs[0], data.folder, "--split", "dev", "--compare-contexts", "--window", 9)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "longer than the 4 this model was trained on" in refused.stderr


def test_saved_translations_are_compared_as_their_models_are(data, runs, tmp_path):
    output = evaluate_models(runs, prepared(data), GREEDY, keep=tmp_path)
    files = [tmp_path / f"{name}-L4-beam1-dev.json" for name in ("short", "long")]
    again = evaluate_models(files, prepared(data))
    assert compare(again, prepared(data)).rows() == compare(output, prepared(data)).rows()
    with pytest.raises(CorpusError, match="translates other documents than the train split"):
        evaluate_models(files, prepared(data, "train"))
    with pytest.raises(CorpusError, match="There is no file"):
        evaluate_models([tmp_path / "none.json"], prepared(data))


def test_nothing_is_translated_before_all_that_is_named_fits(data, runs, tmp_path):
    other = tmp_path / "other.json"
    other.write_text('{"name": "x", "L": 1, "output": [["a"]], "losses": null}')
    with pytest.raises(CorpusError, match="translates other documents"):
        evaluate_models([runs[0], other], prepared(data), keep=tmp_path / "saved")
    with pytest.raises(ConfigError, match=r"short/best: A window of 9 .* longer than the 4"):
        evaluate_models(runs, prepared(data), DecodingOptions(L=9), keep=tmp_path / "saved")
    with pytest.raises(ConfigError, match="The window is 0"):
        evaluate_models(runs, prepared(data), DecodingOptions(L=0), keep=tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_saved_translations_have_their_provenance(data, runs, tmp_path):
    evaluate_models(runs[1:], prepared(data), GREEDY, keep=tmp_path)
    (output,) = evaluate_models([tmp_path / "long-L4-beam1-dev.json"], prepared(data))
    assert (output.L, output.beam, output.language) == (4, 1, "en")
    signed = output.sign("tok:13a")
    assert signed == f"tok:13a|L:4|beam:1|runtime:{output.runtime}|model:{output.model_hash}"
    assert output.runtime.startswith("torch-")


def test_older_files_without_provenance_can_still_be_compared(data, runs, tmp_path):
    evaluate_models(runs[1:], prepared(data), GREEDY, keep=tmp_path)
    path = tmp_path / "long-L4-beam1-dev.json"
    content = json.loads(path.read_text())
    old = {name: content[name] for name in ("name", "L", "output", "losses", "seconds")}
    path.write_text(json.dumps(old))
    (output,) = evaluate_models([path], prepared(data))
    assert output.sign("tok:13a") == "tok:13a|L:4"


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"name": "x", "L": 1, "output": [[1]], "losses": null}']
)
def test_a_file_of_anything_else_is_refused(data, tmp_path, content):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(CorpusError, match="does not hold a model"):
        evaluate_models([path], prepared(data))


def test_exported_graphs_are_evaluated_as_their_model_is(data, runs, tmp_path):
    export_model(runs[1], tmp_path / "long", int8=False)
    one, other = evaluate_models([runs[1], tmp_path / "long"], prepared(data), GREEDY)
    assert one.output == other.output
    assert one.loss == pytest.approx(other.loss, rel=1e-4)


class TestRawDocuments:
    RECIPE = RECIPES / "toy"

    def test_raw_text_is_translated_and_scored_unchanged(self, runs):
        test_set = open_test_set(self.RECIPE, "test")
        assert isinstance(test_set, RawTestSet)
        sentences = sum(map(len, test_set.references))
        counted = []
        output = test_set.translate(runs[1], GREEDY, lambda: counted.append(1))
        assert len(counted) == sentences
        assert output.losses is None
        wanted = [load(runs[1]).translate(d.source, beam=1) for d in test_set.documents[:3]]
        assert output.output[:3] == wanted
        (row,) = compare([output], test_set).rows()
        scores = score_documents(output.output, [d.target for d in test_set.documents])
        assert row["document BLEU"] == round(scores.document_bleu.value, 2)
        assert "loss" not in row
        assert "tok:13a" in compare([output], test_set).signatures["BLEU"]

    def test_saved_translations_are_compared(self, runs, tmp_path):
        test_set = open_test_set(self.RECIPE, "dev")
        output = evaluate_models(runs, test_set, GREEDY, keep=tmp_path)
        files = [tmp_path / f"{name}-L4-beam1-dev.json" for name in ("short", "long")]
        assert (
            compare(evaluate_models(files, test_set), test_set).rows()
            == compare(output, test_set).rows()
        )

    def test_a_tsv_file_will_do(self, runs, tmp_path):
        file = tmp_path / "mine.tsv"
        file.write_text("a\tmirel soti\train falls\na\tmirel soti\train falls\n")
        test_set = open_test_set(file, "test")
        (output,) = evaluate_models(runs[1:], test_set, GREEDY)
        assert (test_set.name, [len(d) for d in output.output]) == ("mine", [2])

    def test_what_is_no_data_is_refused(self, tmp_path):
        with pytest.raises(CorpusError, match="neither prepared data, nor a recipe"):
            open_test_set(tmp_path, "test")
        (tmp_path / "empty.tsv").touch()
        with pytest.raises(CorpusError, match=r"empty.tsv is empty, so there is nothing"):
            open_test_set(tmp_path / "empty.tsv", "test")
        with pytest.raises(CorpusError, match="There is no data at"):
            open_test_set(tmp_path / "none.tsv", "test")
        with pytest.raises(CorpusError, match="has no nowhere split; it has: train, dev"):
            open_test_set(self.RECIPE, "nowhere")
