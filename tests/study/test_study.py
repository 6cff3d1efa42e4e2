"""A study is carried out model by model, can be stopped anywhere, and says what it found."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longways.corpus.store import open_data
from longways.errors import ConfigError, CorpusError, LongwaysError
from longways.study.config import StudyModel, read_study
from longways.study.jobs import Job, run_jobs
from longways.study.report import write_report
from longways.study.run import trained
from tests.training.runs import prepare_toy

ROOT = Path(__file__).parents[2]
STUDY = """
name = "tiny"
recipe = "{recipe}"
baseline = "transformer"
part = "dev"
beam = 1

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

[models.swapped]
init_from = "transformer"
model = {{ preset = "rfa-sgate", cross.projection = 8, causal.projection = 4 }}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


def write_study(folder: Path, updates: int = 4) -> Path:
    path = folder / "study.toml"
    path.write_text(STUDY.format(recipe=ROOT / "recipes" / "toy", updates=updates))
    return path


def start(path: Path, work: Path, data, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "longways", "study", str(path), str(work)),
            *("--prepared", str(data.folder), "--parallel", "2", "-o", str(work / "out"), *options),
        ],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.fixture(scope="module")
def done(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    process = start(write_study(folder), folder / "work", data)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return folder / "work", said


def test_models_are_trained_judged_and_compared(done):
    work, said = done
    result = json.loads((work / "out" / "study.json").read_text())
    baseline, swapped = result["rows"]
    assert (baseline["model"], swapped["model"]) == ("transformer", "swapped")
    assert swapped["started from"] == "transformer"
    assert swapped["attention"] == "cross rfa 8, causal rfa 4, gate decay"
    assert swapped["updates"] == 4
    assert "p of BLEU" in swapped
    assert said.index("training transformer: done") < said.index("training swapped: started")
    run = json.loads((work / "out" / "runs" / "swapped.json").read_text())
    assert [point["update"] for point in run["curve"]] == [2, 4]
    assert "| transformer |" in (work / "out" / "study.md").read_text()
    assert (work / "out" / "curves.svg").stat().st_size > 10_000


def test_what_is_done_is_not_done_again(done, data):
    work, _ = done
    before = (work / "swapped" / "best" / "weights.safetensors").stat().st_mtime_ns
    process = start(work.parent / "study.toml", work, data)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "started" not in said
    assert (work / "swapped" / "best" / "weights.safetensors").stat().st_mtime_ns == before


def test_a_study_that_is_stopped_saves_its_runs_and_goes_on(data, tmp_path):
    path, work = write_study(tmp_path, updates=40), tmp_path / "work"
    process = start(path, work, data)
    deadline = time.monotonic() + 60
    while not (work / "transformer" / "last").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "run the same command to go on" in said
    assert (work / "transformer" / "last" / "progress.json").exists()
    assert not trained(work, StudyModel("swapped", ()))
    _, said = start(path, work, data).communicate(timeout=300)
    assert trained(work, StudyModel("swapped", ())), said


def test_nothing_to_compare_with_is_said(data, tmp_path):
    with pytest.raises(CorpusError, match="baseline transformer has not been judged"):
        write_report(read_study(write_study(tmp_path)), tmp_path, open_data(data.folder), tmp_path)


def test_a_job_that_fails_ends_the_others_and_is_quoted(tmp_path):
    jobs = [
        Job("bad", ("train", str(tmp_path / "nothing.toml")), tmp_path / "bad.log"),
        Job("next", ("--version",), tmp_path / "next.log", after="bad"),
    ]
    with pytest.raises(LongwaysError, match=r"bad failed: longways: .*nothing.toml"):
        run_jobs(jobs, 1, lambda _: None)
    assert not (tmp_path / "next.log").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("baseline = ", "basis = "), "unknown: basis"),
        (('"transformer"\npart', '"other"\npart'), "names a model 'other'"),
        (('init_from = "transformer"', 'init_from = "swapped"'), "must come before it"),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(tmp_path, change, message):
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(ConfigError, match=message):
        read_study(path)


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("study-*.toml")))
def test_the_studies_that_come_with_longways_can_be_read(path):
    study = read_study(path)
    assert study.recipe.exists()
    assert len(study.models) >= 4
