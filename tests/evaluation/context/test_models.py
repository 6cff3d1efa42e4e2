"""A model that must use its context is shown to, and one that cannot is not."""

import json
import shutil

import pytest

from longways.corpus.prepared_data import open_data
from longways.errors import CorpusError
from longways.evaluation.context import models
from longways.evaluation.context.models import compare_contexts, context_rows
from longways.evaluation.test_set import DecodingOptions, PreparedTestSet
from tests.translation.learned import learned_model

GREEDY = DecodingOptions(beams=1)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return learned_model(tmp_path_factory)


@pytest.fixture(scope="module")
def dev_split(model):
    return PreparedTestSet(open_data(model.parents[1] / "data"), "dev")


@pytest.fixture(scope="module")
def saved(model, dev_split, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    compare_contexts([model], dev_split, GREEDY, folder)
    return folder


def rows_of(comparisons):
    """What does not depend on how long it took."""
    return [{k: v for k, v in row.items() if k != "seconds"} for row in context_rows(comparisons)]


def low(interval):
    return float(interval.split("[")[1].split(",")[0])


def test_a_model_that_uses_its_context_is_worse_without_it(model, dev_split):
    """Without the sentence that names somebody, a pronoun leaves one name in eight to guess."""
    true, other, none = context_rows(compare_contexts([model], dev_split, GREEDY))
    assert [row["context"] for row in (true, other, none)] == ["true", "other", "none"]
    assert {row["model"] for row in (true, other, none)} == {"run"}
    assert true["loss difference"] == "+0.0000 [+0.0000, +0.0000]"
    for row in (other, none):
        assert row["loss"] > true["loss"] + 0.05
        assert low(row["loss difference"]) > 0
        assert row["document BLEU"] < true["document BLEU"]
        assert row["BLEU difference"].startswith("-")


def test_windows_of_one_sentence_have_no_context_to_lose(model, dev_split):
    rows = context_rows(compare_contexts([model], dev_split, DecodingOptions(beams=1, L=1)))
    assert len({(row["loss"], row["document BLEU"]) for row in rows}) == 1


def test_the_beam_is_an_option(model, dev_split):
    (greedy,) = compare_contexts([model], dev_split, GREEDY)
    (wide,) = compare_contexts([model], dev_split, DecodingOptions(beams=3))
    assert [detail["beam"] for detail in (*greedy.details(), *wide.details())] == [1] * 3 + [3] * 3


def test_saved_outputs_are_not_computed_again(model, dev_split, saved, monkeypatch):
    whole = rows_of(compare_contexts([model], dev_split, GREEDY))
    monkeypatch.setattr(models, "open_runtime", None)  # opening a model would fail
    assert rows_of(compare_contexts([model], dev_split, GREEDY, saved)) == whole


def test_missing_outputs_are_computed_and_all_their_sentences_counted(
    model, dev_split, saved, tmp_path
):
    folder = tmp_path / "saved"
    shutil.copytree(saved, folder)
    (missing,) = folder.glob("*.none.json")
    before = json.loads(missing.read_text())
    missing.unlink()
    bars = []

    class Progress:
        def __init__(self, what, total):
            self.total, self.done = total, 0
            bars.append(self)

        def __enter__(self):
            return self.count

        def __exit__(self, *_):
            pass

        def count(self):
            self.done += 1

    compare_contexts([model], dev_split, GREEDY, folder, Progress)
    after = json.loads(missing.read_text())
    assert after | {"seconds": 0} == before | {"seconds": 0}
    (bar,) = bars
    assert bar.done == bar.total == 2 * sum(map(len, dev_split.references))


def test_the_output_of_another_model_of_that_name_is_computed_again(
    model, dev_split, saved, tmp_path
):
    folder = tmp_path / "saved"
    shutil.copytree(saved, folder)
    for path in folder.iterdir():
        path.write_text(json.dumps({**json.loads(path.read_text()), "model_hash": "another"}))
    compare_contexts([model], dev_split, GREEDY, folder)
    assert {json.loads(path.read_text())["model_hash"] for path in folder.iterdir()} == {
        json.loads(path.read_text())["model_hash"] for path in saved.iterdir()
    }


def test_a_saved_output_of_other_documents_is_refused(model, dev_split, saved, tmp_path):
    folder = tmp_path / "saved"
    shutil.copytree(saved, folder)
    for path in folder.iterdir():
        content = json.loads(path.read_text())
        path.write_text(json.dumps({**content, "output": content["output"][1:]}))
    with pytest.raises(CorpusError, match="translates other documents"):
        compare_contexts([model], dev_split, GREEDY, folder)
