"""`longways bench speed` and its kin, as they are called."""

import json

import pytest
from typer.testing import CliRunner

from longways.benchmark.speed import measure as speed
from longways.cli import main
from longways.cli.bench import app
from longways.results import report

ROW = {
    "device": "cpu", "batches": "1", "L": 1, "batch": 1, "system": "64+32", "tokens/s": 10,
    "over concat": 2.0,
}  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """What the benchmark was asked to measure."""
    configs = []

    def measure(config, tell, _keep):
        configs.append(config)
        tell("a row")
        return report("speed", "Fast", {}, [ROW], "cpu")

    monkeypatch.setattr(speed, "measure", measure)
    return configs


@pytest.mark.parametrize("arguments", [["--quick"], ["speed", "--quick"]])
def test_quick_is_small(asked, arguments):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    assert (asked[0].lengths, asked[0].batches, asked[0].rounds) == ([1, 4, 15], ["1", "8"], 1)
    assert json.loads(done.stdout.splitlines()[-1])["rows"] == [ROW]
    assert done.stderr == "a row\n"


def test_what_is_asked_for_is_measured_and_drawn(asked, tmp_path):
    out, plot = tmp_path / "speed.json", tmp_path / "speed.svg"
    arguments = ["--device", "cuda", "--windows", "1,4", "--batches", "paper,largest", "--beam"]
    arguments += ["4", "--systems", "concat,64+32", "--out", str(out), "--plot", str(plot)]
    assert CliRunner().invoke(app, ["speed", *arguments, "--talks", "3"]).exit_code == 0
    config = asked[0]
    assert (config.device, config.beams, config.talks) == ("cuda", 4, 3)
    assert (config.lengths, config.batches) == ([1, 4], ["paper", "largest"])
    assert config.systems == ["concat", "64+32"]
    drawn = plot.read_bytes()
    again = CliRunner().invoke(app, ["speed", str(out), "--plot", str(plot)])
    assert (again.exit_code, again.stdout) == (0, f"{plot}\n")
    assert plot.read_bytes() == drawn


def test_a_benchmark_that_is_stopped_leaves_what_it_has_measured(monkeypatch, tmp_path):
    def measure(_config, _tell, keep):
        keep(report("speed", "Fast", {}, [ROW], "cpu"))
        raise KeyboardInterrupt

    monkeypatch.setattr(speed, "measure", measure)
    out = tmp_path / "speed.json"
    assert CliRunner().invoke(app, ["speed", "--out", str(out)]).exit_code != 0
    assert json.loads(out.read_text())["rows"] == [ROW]


def test_the_bench_alone_explains_itself():
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 0
    assert "memory" in done.stdout
    assert "decode-memory" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["speed", "--windows", "a"], "'a' is not a list of numbers"),
        (["speed", "--plot", "a.pdf"], "must end in .png or .svg"),
        (["speed", "--systems", "64"], "'64' is not a system"),
        (["speed", "--engines", "64"], "`--engines` is now `--systems`."),
        (["speed", "--lengths", "1,4"], "`--lengths` is now `--windows`."),
        (["speed", "--batches", "some"], "'some' is not a batch"),
        (["speed", "--trained", "a"], "'a' names no model"),
        (["speed", "a.json"], "no figure is named"),
        (["speed", "/nowhere.json", "--plot", "a.png"], "/nowhere.json cannot be read as a report"),
        (["memory", "--tokens", "0"], "at least 1 token"),
        (["decode-memory", "--tokens", "0"], "is now `longways bench memory`."),
        (["speed-plot", "a"], "is now `longways bench speed REPORT... --plot FILE`."),
        (["reorder", "--device", "tpu"], "is now `python -m benchmarks reorder`, in a clone"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(monkeypatch, capsys, arguments, words):
    monkeypatch.setattr("sys.argv", ["longways", "bench", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert words in " ".join(said.split())
    assert "Traceback" not in said
