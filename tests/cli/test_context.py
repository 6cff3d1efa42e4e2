"""`--context` limits how far back a stream model looks; other models have `--window`."""

import json
import sys

import pytest

import longways
from longways.cli import main
from longways.errors import ConfigError
from longways.translation.model_folder import parse_context
from tests.cli.test_consistency import GOOD, write_set
from tests.training.runs import train_tiny

TEXT = "rona tokim. ze haverim.\nrona tokim.\n"
GREEDY = "--beam", "1"


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return train_tiny(
        tmp_path_factory.mktemp("stream"), updates=8, preset="stream", stream={"heads": 1}
    )


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    return train_tiny(tmp_path_factory.mktemp("windows"), updates=4)


@pytest.fixture
def command(monkeypatch, capsys):
    """The command in this process: its exit code, and what it printed."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["longways", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return stopped.value.code or 0, said.out, said.err

    return command


def test_the_context_is_the_number_of_sentences_that_are_carried(stream, tmp_path, command):
    page = tmp_path / "page.txt"
    page.write_text(TEXT)
    found = {}
    for context in ("0", "1", "all", "99"):
        code, out, err = command(
            "translate", page, "--model", stream, "--context", context, "-o-", *GREEDY
        )
        assert code == 0, err
        found[context] = out
    assert found["all"] == found["99"]
    translator = longways.load(stream)
    sentences = [["rona tokim."], ["ze haverim."]]
    alone = [translator.translate(one, beam=1) for one in sentences]
    together = translator.translate([s for one in sentences for s in one], context=0, beam=1)
    assert together == [text for one in alone for text in one]
    assert translator.translate(TEXT, context=99, beam=1) == found["all"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--window", "2"], "is a stream model, which has no windows"),
        (["--context", "-1"], "--context is '-1', but it must be a number of sentences"),
        (["--context", "few"], "--context is 'few', but it must be a number of sentences"),
    ],
)
def test_a_stream_model_is_not_asked_for_windows(stream, tmp_path, command, options, message):
    page = tmp_path / "page.txt"
    page.write_text(TEXT)
    code, out, err = command("translate", page, "--model", stream, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not list(tmp_path.glob("*.en.*"))
    with pytest.raises(ConfigError, match="has no windows"):
        longways.load(stream).translate(TEXT, window=2)


@pytest.mark.parametrize("context", ["2", "all"])
def test_a_window_model_is_not_asked_for_a_context(windows, tmp_path, command, context):
    page = tmp_path / "page.txt"
    page.write_text(TEXT)
    code, _, err = command("translate", page, "--model", windows, "--context", context)
    assert code == 2
    assert "translates in windows and carries no context" in err
    assert "--window" in err
    with pytest.raises(ConfigError, match="carries no context"):
        longways.load(windows).translate(TEXT, context=2)


def test_evaluation_and_consistency_take_it_too(stream, windows, tmp_path, command):
    data = stream.parents[1] / "data"
    asked = ["evaluate", stream, data, "--split", "dev", "--beam", "1", "--json"]
    code, out, err = command(*asked, "--context", "1")
    assert code == 0, err
    assert json.loads(out)["settings"]["context"] == "1"
    code, _, err = command(*asked, "--window", "2")
    assert (code, "has no windows" in err) == (2, True)
    path = write_set(tmp_path / "set.json", [GOOD])
    code, out, err = command("consistency", stream, path, "--json")
    assert code == 0, err
    assert [row["L"] for row in json.loads(out)["rows"]] == [1, 2]
    code, out, err = command("consistency", stream, path, "--json", "--context", "all")
    assert [row["L"] for row in json.loads(out)["rows"]] == [2]
    code, _, err = command("consistency", windows, path, "--context", "1")
    assert (code, "carries no context" in err) == (2, True)


def test_no_context_is_all_of_it():
    assert parse_context(None) is None
    assert parse_context("all") is None
    assert parse_context("0") == 0
