"""The command line as a user meets it."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from longways import __version__
from longways.model.checkpoint import save_model
from longways.model.translation import TranslationModel
from tests.model.tiny import tiny_config

ROOT = Path(__file__).parents[2]


def longways(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "longways", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.parametrize(
    "verb", [[], ["prepare"], ["train"], ["info"], ["bench"], ["bench", "speed"]]
)
def test_every_verb_explains_itself(verb):
    done = longways(*verb, "--help")
    assert done.returncode == 0
    assert "Usage: " in done.stdout


def test_help_takes_well_under_half_a_second_of_cpu_time():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "longways COMMAND" in longways("--help").stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.5


def complete(text: str) -> list[str]:
    """What a bash shell offers after this text and a tab."""
    words = {"COMP_WORDS": text, "COMP_CWORD": str(len(text.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv = ['longways']\n"
         "from longways.cli import main; main()"],
        capture_output=True, text=True, cwd=ROOT, check=False,
        env={**os.environ, **words, "_LONGWAYS_COMPLETE": "complete_bash"},
    )  # fmt: skip
    return done.stdout.split()


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("longways tr", ["train", "translate"]),
        ("longways t", ["train", "translate"]),  # not the former verb toy
        ("longways bench tra", ["training", "translation"]),
        ("longways evaluate --sp", ["--split"]),
        ("longways evaluate --pa", []),  # not the former option --part
    ],
)
def test_a_shell_completes_commands_and_options(text, offered):
    assert sorted(complete(text)) == offered


def test_completion_can_be_installed():
    shown = longways("--help").stdout
    assert "--install-completion" in shown
    assert "--show-completion" in shown


def test_the_version():
    assert longways("--version").stdout == f"longways {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info", "/nowhere"], "There is no model folder at /nowhere."),
        (["train", "/nowhere"], "There is no recipe at /nowhere."),
        (
            ["train", "opendocs"],
            "name of a bundled recipe: embedded-zh-en, imported-zh-en,",
        ),
        (["study", "toys", "work", "--prepared", "p"], "a bundled study: study-consistency,"),
        (["toy", "recipes/toy", "--json"], "`longways toy` is now `python examples/toy.py`, in a"),
        (["plot", "a", "-o", "b"], "`longways plot` is now `longways info RUN... --plot FILE`."),
        (["evaluate", "a", "b", "--part", "dev"], "`--part` is now `--split`."),
        (["evaluate", "a", "b", "--part=dev"], "`--part` is now `--split`."),
        (["evaluate", "a", "b", "--keep", "c"], "`--keep` is now `--save`."),
        (["info", "--plot", "a.png"], "No run is named. Write: longways info RUN... --plot a.png"),
        (["info", "a", "--plot", "a.pdf"], "a.pdf must end in .png or .svg."),
        (["prepare", "/nowhere", "out"], "There is no recipe at /nowhere."),
        (["prepare", "out"], "Write RECIPE OUT, or name your own files"),
        (["prepare", "--train", "a.tsv", "out"], "with --languages, as in zh-en"),
        (["prepare", "--train", "a.tsv", "--languages", "zh", "out"], "must be like zh-en"),
        (["prepare", "--train", "a,b,c,d", "--languages", "zh-en", "out"], "must be FILE, SOURCE"),
        (["prepare", "iwslt15-zh-en", "out", "--data", "/nowhere"], "WIT3"),
        (["prepare", "toy", "out", "--set", "corpus.tain=1"], "Did you mean 'corpus.train'?"),
        (
            ["prepare", "toy", "out", "--text", "/nowhere"],
            "/nowhere has no folder text",
        ),
    ],
)
def test_bad_input_is_one_sentence_on_stderr_and_exit_code_2(arguments, words):
    done = longways(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.startswith("longways: ")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_info_shows_every_setting_with_its_meaning(tmp_path):
    save_model(TranslationModel(tiny_config("rfa-sgate")), tmp_path / "m", BLEU=31.2)
    done = longways("info", str(tmp_path / "m"))
    assert "causal.gate_bias" in done.stdout
    assert "BLEU: 31.2" in done.stdout
    content = json.loads(longways("info", str(tmp_path / "m"), "--json").stdout)
    assert content["model"]["causal"]["gate"] == "decay"
    assert content["facts"] == {"BLEU": 31.2}


def test_without_torch_a_verb_that_needs_it_says_how_to_get_it(tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(name='torch')")
    code = "from longways.cli import main; main()"
    command = [sys.executable, "-c", code, "train", "toy", f"{tmp_path}/run"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, check=False,
        env={"PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"},
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'longways[train]'" in done.stderr


def test_prepare_and_info_from_files_of_every_kind(tmp_path):
    lines = {"zh": ["你好", "世界", "", "再见"], "en": ["Hello.", "World.", "", "Bye."]}
    for language, sentences in lines.items():
        (tmp_path / f"a.{language}").write_text("\n".join(sentences) + "\n")
        (tmp_path / "folder").mkdir(exist_ok=True)
        (tmp_path / "folder" / f"page.{language}.txt").write_text("\n".join(sentences) + "\n")
    (tmp_path / "a.starts").write_text("1\n2\n")
    (tmp_path / "b.zh").write_text("你好\n世界\n")
    (tmp_path / "b.en").write_text("Hello.\nWorld.\n")
    done = longways(
        "prepare", "--languages", "zh-en", "--set", "corpus.text.vocabulary=300", "--json",
        "--train", f"{tmp_path}/a.zh,{tmp_path}/a.en", "--dev", f"{tmp_path}/folder",
        "--test", f"{tmp_path}/b.zh,{tmp_path}/b.en,{tmp_path}/a.starts", f"{tmp_path}/out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)["counts"]
    found = {split: (c["documents"], c["sentences"]) for split, c in counts.items()}
    assert found == {"train": (2, 3), "dev": (1, 3), "test": (2, 2)}
    shown = longways("info", f"{tmp_path}/out")
    assert shown.returncode == 0, shown.stderr
    assert "sentences per document" in shown.stdout
    assert (
        json.loads(longways("info", f"{tmp_path}/out", "--json").stdout)["dropped"]["train"] == {}
    )


def test_a_run_is_shown_and_drawn(tmp_path):
    run = tmp_path / "run"
    few = ["training.updates=4", "training.evaluate_every=2", "corpus.train.documents=5"]
    settings = [word for setting in few for word in ("--set", setting)]
    done = longways("train", "toy", str(run), *settings)
    assert done.returncode == 0, done.stderr
    assert "best validation loss" in done.stderr
    shown = longways("info", str(run))
    assert "To resume: longways train toy" in shown.stdout
    state = json.loads(longways("info", str(run), "--json").stdout)
    assert (state["update"], state["of"]) == (4, 4)
    for name in ("a.png", "a.svg"):
        drawn = longways("info", str(run), str(run), "--plot", str(tmp_path / name))
        assert (drawn.returncode, drawn.stdout) == (0, f"{tmp_path / name}\n")
        assert (tmp_path / name).stat().st_size > 10_000
    assert longways("info", str(tmp_path), "--plot", str(tmp_path / "b.png")).returncode == 2


def test_a_start_that_was_refused_can_be_corrected(tmp_path):
    run = tmp_path / "run"
    few = ["training.updates=2", "training.evaluate_every=2", "corpus.train.documents=5"]
    settings = [word for setting in few for word in ("--set", setting)]
    refused = longways("train", "toy", str(run), *settings, "--teacher", f"{tmp_path}/no")
    assert refused.returncode == 2
    assert f"{tmp_path}/no" in refused.stderr.replace("\n", "")
    done = longways("train", "toy", str(run), *settings)
    assert done.returncode == 0, done.stderr


def test_prepare_filters_the_training_split_and_says_what_it_drops(tmp_path):
    line = "d\tThis is sentence {}.\tDas ist Satz {}.\n"
    text = "".join(line.format(word, word) for word in "abcd") + "d\tIn 1987.\tEs war 1988.\n"
    (tmp_path / "a.tsv").write_text(text)
    done = longways(
        *("prepare", "--languages", "en-de", "--train", str(tmp_path / "a.tsv"), "--filter"),
        *("--set", "corpus.text.vocabulary=290", str(tmp_path / "out")),
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "Dropped from train: 1 x different numbers.\nKept in train: 4 pairs." in done.stderr
    shown = longways("info", str(tmp_path / "out"))
    assert "different numbers" in shown.stdout
