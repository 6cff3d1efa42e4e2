"""`longways init`: a recipe for one's own data, which prepare and train accept as it is."""

import gzip
import json
import tomllib

import pytest

from longways.cli import init
from longways.corpus.readers.toy import make_documents
from longways.model.config import PRESETS
from tests.command import longways


@pytest.fixture
def folder(tmp_path):
    """A small corpus in every format that the readers know."""
    documents = make_documents(4, seed=1)
    rows = [(d.name, s, t) for d in documents for s, t in zip(d.source, d.target, strict=True)]
    (tmp_path / "train.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    (tmp_path / "pages").mkdir()
    for side, language in ((1, "toy"), (2, "en")):
        lines = [row[side] for row in rows]
        (tmp_path / f"dev.{language}").write_text("".join(f"{line}\n" for line in lines))
        (tmp_path / f"group.{language}").write_text(" _eos ".join(lines) + "\n")
        (tmp_path / "pages" / f"a.{language}.txt").write_text("".join(f"{x}\n" for x in lines))
        packed = (
            f"<srcset><doc docid='1'>{''.join(f'<seg>{x}</seg>' for x in lines)}</doc></srcset>"
        )
        (tmp_path / f"talk.{language}.xml").write_text(packed.replace("<seg>", "\n<seg>"))
        with gzip.open(tmp_path / f"dev.{language}.gz", "wt") as file:
            file.write("".join(f"{line}\n" for line in lines))
    (tmp_path / "starts").write_text("1\n")
    (tmp_path / "empty.tsv").touch()
    (tmp_path / "bad.tsv").write_text("only one column\n")
    return tmp_path


BASIC = ["--languages", "toy-en", "--train", "train.tsv", "--dev", "dev.toy,dev.en"]


def test_the_printed_commands_prepare_train_evaluate_and_export(folder):
    done = longways("init", "mine", *BASIC, "--test", "pages", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "train: format tsv; 4 documents with" in done.stderr
    commands = [line.split()[1:] for line in done.stdout.splitlines()]
    verbs = ["prepare", "train", "evaluate", "export", "translate"]
    assert [command[0] for command in commands] == verbs
    few = ["--set", "corpus.text.vocabulary=300"]
    assert longways(*commands[0], *few, cwd=folder).returncode == 0
    tiny = "training.updates=2", "training.evaluate_every=1", "model.dim=32", "model.feed_forward=8"
    settings = [word for setting in tiny for word in ("--set", setting)]
    trained = longways(*commands[1], *settings, "--device", "cpu", cwd=folder)
    assert trained.returncode == 0, trained.stderr
    scores = longways(*commands[2], "--json", "--beam", 1, cwd=folder)
    assert scores.returncode == 0, scores.stderr
    assert json.loads(scores.stdout)["settings"]["part"] == "test"
    exported = longways(*commands[3], "--no-check", cwd=folder)
    assert exported.returncode == 0, exported.stderr
    (folder / "page.toy.txt").write_text("rona velu tokim\n")
    translated = longways(*commands[4], cwd=folder)
    assert translated.returncode == 0, translated.stderr


@pytest.mark.parametrize(
    ("files", "table"),
    [
        (["train.tsv"], {"format": "tsv"}),
        (["train.tsv", "train.tsv"], {"format": "tsv"}),
        (["pages"], {"format": "folder"}),
        (["dev.toy,dev.en"], {"format": "plain"}),
        (["dev.toy.gz,dev.en.gz"], {"format": "plain"}),
        (["dev.toy,dev.en,starts"], {"format": "plain"}),
        (["group.toy,group.en"], {"format": "groups"}),
        (["talk.toy.xml,talk.en.xml"], {"format": "iwslt"}),
    ],
)
def test_the_format_is_recognised_and_paths_are_absolute(folder, files, table):
    dev = [word for name in files for word in ("--dev", name)]
    done = longways("init", "mine", *BASIC[:4], *dev, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert f"dev: format {table['format']}; " in done.stderr
    assert "--split dev" in done.stdout  # there is no test split
    recipe = tomllib.loads((folder / "mine" / "recipe.toml").read_text())
    written = recipe["corpus"]["dev"]
    assert written.pop("format") == table["format"]
    names = [name for row in files for name in row.split(",")]
    found = [path for paths in written.values() for path in paths]
    assert sorted(found) == sorted(str(folder / name) for name in names)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("size", ["small", "paper"])
def test_every_preset_and_size_is_a_valid_recipe_with_a_comment_for_each_setting(preset, size):
    files = {"train": {"format": "tsv", "files": ['a "b"\\c.tsv']}}
    tables = init._tables({"source_language": "zh", "target_language": "en"}, files, preset, size)
    text = init._render(tables, "zh-en")
    corpus = init._check_recipe(text)
    assert corpus.train.files == ('a "b"\\c.tsv',)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    start = lines.index("[corpus.text]")
    for before, line in zip(lines[start:], lines[start + 1 :], strict=False):
        assert " = " not in line or line.startswith("#") or before.startswith("#"), line


def test_the_small_models_of_rfa_start_with_settings_that_learn():
    pair = {"source_language": "zh", "target_language": "en"}
    found = {p: set(init._tables(pair, {}, p, "small")) for p in PRESETS}
    assert "model.causal" not in found["transformer"]
    assert {"model.causal"} == found["hybrid"] & {"model.causal", "model.cross"}
    assert {"model.causal", "model.cross"} <= found["rfa-sgate"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["init", "mine"], "--languages is missing. Name it, as in: longways init mine --lang"),
        (["init", "mine", *BASIC[:2]], "--train is missing."),
        (["init", "mine", *BASIC[:4]], "--dev is missing."),
        (["init", "mine", *BASIC[:4], "--dev", "none.tsv"], "/none.tsv. Check the path."),
        (["init", "mine", *BASIC[:4], "--dev", "dev.toy,none"], "/none. Check the path."),
        (["init", "mine", *BASIC[:4], "--dev", "a,b,c,d"], "must be FILE, SOURCE,TARGET or"),
        (["init", "mine", *BASIC[:4], "--dev", "bad.tsv"], "1 columns, but there must be 3"),
        (["init", "mine", *BASIC[:4], "--dev", "empty.tsv"], "--dev: the files contain no sent"),
        (["init", "mine", *BASIC, "--languages", "zh"], "but it must be like zh-en"),
        (["init", "mine", *BASIC, "--preset", "rnn"], "There is no preset 'rnn'."),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_recipe(folder, arguments, words):
    done = longways(*arguments, cwd=folder)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.splitlines()[-1].startswith("longways: ")
    assert not (folder / "mine").exists()


def test_a_recipe_is_replaced_only_by_force(folder):
    assert longways("init", "mine", *BASIC, cwd=folder).returncode == 0
    (folder / "mine" / "recipe.toml").write_text("mine")
    refused = longways("init", "mine", *BASIC, cwd=folder)
    assert (refused.returncode, "mine/recipe.toml exists already" in refused.stderr) == (2, True)
    assert (folder / "mine" / "recipe.toml").read_text() == "mine"
    assert longways("init", "mine", *BASIC, "--force", cwd=folder).returncode == 0
    assert "[training]" in (folder / "mine" / "recipe.toml").read_text()


def test_missing_options_are_asked_for_on_a_terminal(monkeypatch):
    answers = iter(["train.tsv", ""])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.prompt", lambda *_, **__: next(answers))
    assert init._ask("train", "Training files") == "train.tsv"
    assert init._ask_for_test() == []
