"""A study runs step by step, can be stopped and resumed anywhere, and writes its report."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import time
from dataclasses import replace
from pathlib import Path

import pytest

from longways.corpus.prepared_data import open_data
from longways.errors import ConfigError, CorpusError, LongwaysError
from longways.experiments.config import Study, StudyModel, read_study
from longways.experiments.plan import is_trained, output_file, plan_steps
from longways.experiments.report import write_report
from longways.experiments.steps import Step, run_steps
from longways.experiments.stored_results import stored_models
from longways.recipes import RECIPES
from tests.command import Command
from tests.training.runs import prepare_toy

ROOT = Path(__file__).parents[2]
STUDY = """
name = "tiny"
recipe = "{recipe}"
baseline = "transformer"
split = "dev"
beam = 1
consistency = ["sets"]

[settings]
model.dim = 16
model.heads = 2
model.feed_forward = 32
model.pool = 8
model.encoder_layers = 1
model.decoder_layers = 1
batches.tokens = 400
training.updates = {updates}
training.evaluate_every = 2
training.save_every = 1

[models.transformer]
model.preset = "transformer"

[models.transformer-again]
model.preset = "transformer"
training.seed = 2

[models.swapped]
init_from = "transformer"
model = {{ preset = "rfa-sgate", cross.projection = 8, causal.projection = 4 }}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


def write_study(folder: Path, updates: int = 4) -> Path:
    """The study, and beside it contrastive sets of two items and of one item."""
    path, candidates = folder / "study.toml", ["Ana reads . _eos Ana", "Ana reads . _eos Ben"]
    (folder / "sets").mkdir(exist_ok=True)
    for name, answers in (("deixis", (0, 1)), ("ellipsis", (0,))):
        items = [
            {"src": "rona . _eos ze .", "dst": candidates, "true_ind": i, "ctx_dist": 1}
            for i in answers
        ]
        (folder / "sets" / f"{name}.json").write_text(json.dumps(items))
    path.write_text(STUDY.format(recipe=RECIPES / "toy", updates=updates))
    return path


def start(path: Path, work: Path, data, *options: str) -> Command:
    return Command(
        *("study", path, work, "--prepared", data.folder, "-o", work / "out", *options),
        LONGWAYS_DATA=str(path.parent),
    )


def started_steps(said: str) -> list[str]:
    return [line.removesuffix(": started") for line in said.splitlines() if "started" in line]


@pytest.fixture(scope="module")
def done(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    ended = start(write_study(folder), folder / "work", data).wait()
    assert ended.returncode == 0, ended.stderr
    return folder / "work", ended.stderr


def rows_of(out: Path) -> list[dict[str, object]]:
    return json.loads((out / "study.json").read_text())["rows"]


def test_models_are_trained_evaluated_and_compared(done):
    work, said = done
    result = json.loads((work / "out" / "study.json").read_text())
    swapped = result["rows"][-1]
    names = [row["model"] for row in result["rows"]]
    assert names == ["transformer", "transformer-again", "swapped"]
    assert swapped["started from"] == "transformer"
    assert swapped["attention"] == "cross rfa 8, causal rfa 4, gate decay"
    assert swapped["updates"] == 4
    assert "p of BLEU" in swapped
    assert said.index("training transformer: done") < said.index("training swapped: started")
    run = json.loads((work / "out" / "runs" / "swapped.json").read_text())
    assert [point["update"] for point in run["curve"]] == [2, 4]
    assert "| transformer |" in (work / "out" / "study.md").read_text()
    for picture in ("curves", "consistency", "state"):
        assert (work / "out" / f"{picture}.svg").stat().st_size > 10_000
        assert (work / "out" / f"{picture}.png").stat().st_size > 5_000


def test_a_model_that_was_only_trained_has_a_row_about_its_training(done, data, tmp_path):
    """Without the translations of the second transformer only its losses can be compared."""
    shutil.copytree(done[0], tmp_path / "work")
    for file in (tmp_path / "work" / "judged").glob("transformer-again-*"):
        file.unlink()
    (tmp_path / "work" / "out" / "counts" / "transformer-again.json").unlink()
    (tmp_path / "study").mkdir()
    ended = start(write_study(tmp_path / "study"), tmp_path / "work", data, "--only-report").wait()
    assert ended.returncode == 0, ended.stderr
    out = tmp_path / "work" / "out"
    (row,) = json.loads((out / "not-judged.json").read_text())["rows"]
    assert (row["model"], row["seed"]) == ("transformer-again", 2)
    (both,) = json.loads((out / "seeds.json").read_text())["rows"]
    assert both["seeds"] == [1, 2]
    assert "dev loss" in both
    assert "document BLEU" not in both
    assert "## Trained, not evaluated" in (out / "study.md").read_text()


def test_a_report_is_resumed_without_the_runs_of_earlier_ones(done, data, tmp_path):
    """Only the last model is trained and evaluated again, and the transformer it starts from."""
    shutil.copytree(done[0] / "out", tmp_path / "work" / "out")
    (tmp_path / "work" / "out" / "counts" / "swapped.json").unlink()
    ended = start(write_study(tmp_path), tmp_path / "work", data).wait()
    assert ended.returncode == 0, ended.stderr
    started = [
        line.removesuffix(": started") for line in ended.stderr.splitlines() if "started" in line
    ]
    assert sorted(started) == sorted(
        [
            "training transformer",
            "training swapped",
            "evaluating swapped",
            "testing consistency of swapped",
        ]
    )
    before, after = (rows_of(folder / "out") for folder in (done[0], tmp_path / "work"))
    assert after[:2] == before[:2]
    measured = ("document BLEU", "BLEU difference", "loss", "p of loss", "state bytes")
    assert [after[2][name] for name in measured] == [before[2][name] for name in measured]


def test_a_row_without_stored_statistics_stays_as_it_was(done, data, tmp_path):
    """In a report from before statistics were stored, or whose statistics were removed."""
    out = tmp_path / "out"
    shutil.copytree(done[0] / "out", out)
    (out / "counts" / "swapped.json").unlink()
    before = rows_of(out)
    write_report(read_study(write_study(tmp_path)), tmp_path / "work", data, out)
    after = rows_of(out)
    assert [row["model"] for row in after] == ["transformer", "transformer-again", "swapped"]
    assert {name: after[2][name] for name in before[2]} == before[2]
    assert all(row["as of"] for row in after)
    assert {row["baseline's BLEU"] for row in after} == {before[0]["document BLEU"]}
    write_report(read_study(write_study(tmp_path)), tmp_path / "work", data, out)
    assert rows_of(out) == after  # and again
    assert "| swapped |" in (out / "study.md").read_text()


def test_an_old_table_is_removed_and_a_damaged_report_is_refused(done, data, tmp_path):
    out, study = tmp_path / "out", read_study(write_study(tmp_path))
    shutil.copytree(done[0] / "out", out)
    rows = [{"model": "gone", "dev loss": 1.0}]
    (out / "not-judged.json").write_text(json.dumps({"date": "2026-01-01", "rows": rows}))
    write_report(study, tmp_path / "work", data, out)
    assert not (out / "not-judged.json").exists()
    (out / "study.json").write_text('{"rows": []')
    with pytest.raises(CorpusError, match=r"study.json is not a report of a study"):
        write_report(study, tmp_path / "work", data, out)


def test_stored_statistics_are_used_for_the_same_references_and_metrics_only(done, data, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(done[0] / "out", out)
    study, kept = read_study(write_study(tmp_path)), out / "counts" / "transformer.json"
    content = json.loads(kept.read_text())
    kept.write_text(json.dumps({**content, "reference": "of another corpus"}))
    with pytest.raises(
        CorpusError, match="statistics of transformer were counted against other references"
    ):
        write_report(study, tmp_path / "work", data, out)
    wrong = {**content["counts"], "BLEU": {**content["counts"]["BLEU"], "signature": "tok:zh"}}
    kept.write_text(json.dumps({**content, "counts": wrong}))
    with pytest.raises(CorpusError, match="transformer are not for BLEU with the signature"):
        write_report(study, tmp_path / "work", data, out)
    kept.write_text("{}")
    with pytest.raises(CorpusError, match=r"transformer.json is not a stored result of a study"):
        write_report(study, tmp_path / "work", data, out)


def test_models_that_differ_in_the_seed_are_one_system(done):
    """The second transformer is a second measurement of the first."""
    out = done[0] / "out"
    first, second, _ = json.loads((out / "study.json").read_text())["rows"]
    (row,) = json.loads((out / "seeds.json").read_text())["rows"]
    bleu = first["document BLEU"], second["document BLEU"]
    assert (row["model"], row["seeds"]) == ("transformer", [1, 2])
    assert row["document BLEU"] == pytest.approx(statistics.mean(bleu), abs=1e-4)
    assert row["document BLEU spread"] == pytest.approx(statistics.stdev(bleu), abs=1e-4)
    table = json.loads((out / "table.json").read_text())["rows"]
    assert [row["model"] for row in table] == ["transformer", "swapped"]
    assert table[0]["paper: IWSLT zh-en L=4"] == "30.4"
    assert "## Seeds" in (out / "study.md").read_text()


def test_models_are_tested_on_the_contrastive_sets(done):
    """Of two items with opposite answers every model gets one right."""
    work, said = done
    rows = json.loads((work / "out" / "consistency.json").read_text())["rows"]
    found = {(row["model"], row["set"], row["L"]): row for row in rows}
    assert len(found) == len(rows) == 2 * 2 * 2
    assert all(row["accuracy"] == 0.5 for key, row in found.items() if key[1] == "deixis")
    assert found["transformer", "ellipsis", 1]["seeds"] == 2
    assert said.count("testing consistency of") == 6
    assert "## Consistency" in (work / "out" / "study.md").read_text()


def test_what_is_done_is_not_done_again(done, data):
    work, _ = done
    before = (work / "swapped" / "best" / "weights.safetensors").stat().st_mtime_ns
    ended = start(work.parent / "study.toml", work, data).wait()
    assert ended.returncode == 0
    assert "started" not in ended.stderr
    assert (work / "swapped" / "best" / "weights.safetensors").stat().st_mtime_ns == before


def test_only_a_model_without_consistency_results_is_tested_again(done, data):
    work, _ = done
    (work / "consistency" / "swapped.json").unlink()
    (work / "out" / "counts" / "swapped.json").unlink()
    ended = start(work.parent / "study.toml", work, data).wait()
    assert ended.returncode == 0, ended.stderr
    assert [line for line in ended.stderr.splitlines() if "started" in line] == [
        "testing consistency of swapped: started"
    ]


def test_only_the_named_models_are_trained_and_evaluated(data, tmp_path):
    """And the transformer that one of them starts from."""
    path, work = write_study(tmp_path), tmp_path / "work"
    ended = start(path, work, data, "--only", "swapped").wait()
    steps = [
        line.removesuffix(": started") for line in ended.stderr.splitlines() if "started" in line
    ]
    assert steps == [
        "training transformer", "training swapped",
        "evaluating swapped", "testing consistency of swapped",
    ]  # fmt: skip
    assert ended.returncode == 2
    assert "The baseline transformer has not been evaluated yet" in ended.stderr
    ended = start(path, work, data, "--only", "gone").wait()
    assert ended.returncode == 2
    assert "The study tiny has no model 'gone'; it has: transformer," in ended.stderr


def test_a_study_without_evaluation_translates_nothing_and_stores_its_results(done, data, tmp_path):
    """Results are stored, so that the report can be written when the runs are gone."""
    path, work = write_study(tmp_path), tmp_path / "work"
    path.write_text("evaluate = false\n" + path.read_text())
    shutil.copytree(done[0], work, ignore=shutil.ignore_patterns("out", "judged"))
    (work / "consistency" / "swapped.json").unlink()
    for gone in ((), ("transformer", "transformer-again", "swapped", "consistency")):
        for name in gone:
            shutil.rmtree(work / name)
        ended = start(path, work, data).wait()
        assert ended.returncode == 0, ended.stderr
        steps = [line for line in ended.stderr.splitlines() if "started" in line]
        assert steps == ([] if gone else ["testing consistency of swapped: started"])
        rows = json.loads((work / "out" / "consistency.json").read_text())["rows"]
        assert len(rows) == 2 * 2 * 2
        assert [row["model"] for row in rows_of(work / "out")] == [
            "transformer", "transformer-again", "swapped",
        ]  # fmt: skip
        assert "document BLEU" not in rows_of(work / "out")[0]
        assert not (work / "judged").exists()
        assert (work / "out" / "curves.svg").exists()
    (work / "out" / "answers" / "swapped.json").write_text("{}")
    with pytest.raises(CorpusError, match=r"swapped.json is not a stored result of a study"):
        stored_models(read_study(path), work / "out")


def test_a_missing_set_is_reported_before_anything_is_trained(data, tmp_path):
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace('["sets"]', '["sets", "gone.json"]'))
    ended = start(path, tmp_path / "work", data).wait()
    assert ended.returncode == 2
    assert ended.stderr.startswith("longways: There is no file or folder gone.json, nor below")
    assert not (tmp_path / "work").exists()


def test_a_study_that_is_stopped_saves_its_runs_and_is_resumed(data, tmp_path):
    path, work = write_study(tmp_path, updates=40), tmp_path / "work"
    again = '[models.transformer-again]\nmodel.preset = "transformer"\ntraining.seed = 2\n'
    path.write_text(path.read_text().replace(again, "").replace('consistency = ["sets"]', ""))
    process = start(path, work, data)
    deadline = time.monotonic() + 300
    while not (work / "transformer" / "last").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    ended = process.wait()
    assert ended.returncode == 0, ended.stderr
    assert "Run the same command to resume" in ended.stderr
    assert (work / "transformer" / "last" / "progress.json").exists()
    assert not is_trained(work, StudyModel("swapped", ()))
    said = start(path, work, data).wait().stderr
    assert is_trained(work, StudyModel("swapped", ())), said


def test_a_study_that_only_trains_compares_losses(done, data, tmp_path):
    path, out = write_study(tmp_path), tmp_path / "out"
    path.write_text(path.read_text().replace('consistency = ["sets"]', "evaluate = false"))
    for work in (done[0], tmp_path / "gone"):  # also without its runs
        write_report(read_study(path), work, data, out)
        found = rows_of(out)
        assert [row["model"] for row in found] == ["transformer", "transformer-again", "swapped"]
        assert all(row["dev loss"] > 0 and "document BLEU" not in row for row in found)
        assert set(stored_models(read_study(path), out)) == {row["model"] for row in found}


@pytest.mark.parametrize(("sets", "done"), [('["sets"]', "tested"), ("[]", "trained")])
def test_a_report_without_any_model_is_refused(data, tmp_path, sets, done):
    path = write_study(tmp_path)
    path.write_text("evaluate = false\n" + path.read_text().replace('["sets"]', sets))
    with pytest.raises(CorpusError, match=f"No model of the study tiny has been {done} yet"):
        write_report(read_study(path), tmp_path / "work", data, tmp_path / "out")


def test_a_report_without_the_baseline_is_refused(data, tmp_path):
    with pytest.raises(CorpusError, match="baseline transformer has not been evaluated"):
        write_report(read_study(write_study(tmp_path)), tmp_path, open_data(data.folder), tmp_path)


def test_a_wrong_setting_of_the_last_model_is_reported_before_anything_is_trained(data, tmp_path):
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace("cross.projection = 8", "cross.projections = 8"))
    study = replace(read_study(path), consistency=())
    with pytest.raises(
        ConfigError, match=r"model swapped .*Did you mean 'model\.cross\.projection'"
    ):
        plan_steps(study, tmp_path / "work", data.folder, "cpu")
    assert not (tmp_path / "work").exists()


def test_translations_of_a_model_with_a_longer_name_are_not_mistaken(tmp_path):
    study = Study("s", tmp_path, "rfa", (), split="dev", beam=1)
    (tmp_path / "judged").mkdir()
    other, own = (
        tmp_path / "judged" / f"{name}-L4-beam1-dev.json" for name in ("rfa-L4-slow", "rfa")
    )
    other.touch()
    assert output_file(study, StudyModel("rfa", ()), tmp_path) is None
    own.touch()
    assert output_file(study, StudyModel("rfa", ()), tmp_path) == own


def step(folder: Path, name: str, *arguments: str, needs: tuple[str, ...] = ()) -> Step:
    """A step that is done once its command was started."""
    log = folder / "logs" / f"{name}.log"
    return Step(name, list(arguments or ["--version"]), log.exists, needs)


def test_a_failed_step_is_quoted_at_the_end_and_only_steps_that_need_it_are_left_out(tmp_path):
    steps = [
        step(tmp_path, "bad", "train", str(tmp_path / "nothing.toml")),
        step(tmp_path, "next", needs=("bad",)),
        step(tmp_path, "last", needs=("next",)),
        step(tmp_path, "other"),
    ]
    said = []
    with pytest.raises(LongwaysError, match=r"^bad failed: longways: .*nothing.toml"):
        run_steps(steps, tmp_path, said.append)
    assert said == [
        "bad: started", "bad: failed with exit code 2",
        "next: left out, because bad is not done", "last: left out, because next is not done",
        "other: started", "other: done",
    ]  # fmt: skip
    assert {path.stem for path in tmp_path.glob("logs/*.log")} == {"bad", "other"}


def test_a_step_that_is_done_is_not_run_again(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "first.log").write_text("earlier")
    said, steps = [], [step(tmp_path, "first"), step(tmp_path, "second", needs=("first",))]
    assert run_steps(steps, tmp_path, said.append)
    assert said == ["second: started", "second: done"]
    assert (tmp_path / "logs" / "first.log").read_text() == "earlier"


def test_a_step_that_ends_well_without_its_result_is_not_done(tmp_path):
    """As training that was stopped by a signal to its own process."""
    said = []
    assert not run_steps([Step("training", ["--version"], lambda: False)], tmp_path, said.append)
    assert said == ["training: started", "training: stopped"]


def test_a_stopped_step_has_not_failed_and_later_steps_do_not_start(tmp_path):
    """With a command that has no handler for signals, as evaluating and consistency have none."""
    said = []

    def tell(sentence):
        said.append(sentence)
        if "started" in sentence:
            os.kill(os.getpid(), signal.SIGTERM)

    steps = [Step(name, ["--help"], lambda: False) for name in ("slow", "later")]
    assert not run_steps(steps, tmp_path, tell)
    assert said == ["slow: started", "slow: stopped"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('["sets"]', '"sets"'), "consistency is 'sets', but it must be a list"),
        (("baseline = ", "basis = "), "unknown: basis"),
        (('consistency = ["sets"]', "judge = false"), "`judge` is now `evaluate`."),
        (('split = "dev"', 'part = "dev"'), "`part` is now `split`."),
        (
            ('consistency = ["sets"]', 'evaluate = "no"'),
            "evaluate is 'no', but it must be true or false",
        ),
        (('"transformer"\nsplit', '"other"\nsplit'), "names a model 'other'"),
        (('init_from = "transformer"', 'init_from = "swapped"'), "must come before it"),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(tmp_path, change, message):
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(ConfigError, match=message):
        read_study(path)


@pytest.mark.parametrize("path", sorted(RECIPES.glob("study-*.toml")))
def test_the_studies_that_come_with_longways_can_be_read(path):
    study = read_study(path)
    assert study.recipe.exists()
    assert len(study.models) >= 3
