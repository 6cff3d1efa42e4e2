"""`longways evaluate` as a user meets it: models that translate, and translations in files."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from longways.translation.model_folder import default_model
from tests.command import longways

MODEL = str(default_model())
PAIRS = [
    ("pods", "Pod 是一组容器。", "A Pod is a group of containers."),
    ("pods", "它们共享存储和网络。", "They share storage and network."),
    ("pods", "kubectl get pods", "kubectl get pods"),
    ("nodes", "节点是一台工作机器。", "A node is a worker machine."),
    ("nodes", "每个节点都由控制平面管理。", "Each node is managed by the control plane."),
]
REFERENCE = ["A Pod is a group of containers.", "They share storage and network.",
             "kubectl get pods", "", "A node is a worker machine.",
             "Each node is managed by the control plane."]  # fmt: skip
GOOD = [*REFERENCE[:5], "Each node is run by the control plane."]
BAD = ["A group.", "", "kubectl get pods", "", "节点是一台工作机器。", "Each node is managed."]
SHORT = [REFERENCE[0], *REFERENCE[2:]]

LIGHT_INSTALL = """
import sys
for package in ("torch", "onnx", "matplotlib", "jieba", "sacremoses", "subword_nmt"):
    sys.modules[package] = None
from longways.cli import main
sys.argv = ["longways", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that the tests name."""
    folder = tmp_path_factory.mktemp("files")
    texts = {"ref": REFERENCE, "good": GOOD, "bad": BAD, "short": SHORT, "empty": []}
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    (folder / "pages.tsv").write_text("".join("\t".join(pair) + "\n" for pair in PAIRS))
    (folder / "empty.tsv").touch()
    chinese = "".join(f"{source}\n" for _, source, _ in PAIRS)
    for name in ("pages.zh.txt", "unnamed.txt"):
        (folder / name).write_text(chinese)
    return folder


@pytest.fixture(scope="module")
def evaluate(folder):
    def run(*arguments):
        return longways("evaluate", *arguments, cwd=folder)

    return run


@pytest.fixture(scope="module")
def judged(evaluate):
    """What the model that comes along makes of the pages, kept."""
    done = evaluate(MODEL, "pages.tsv", "--save", "kept", "--json", "-o", "out/scores.json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_model_translates_and_is_scored(judged, folder):
    (row,) = judged["rows"]
    assert row["document BLEU"] > 40
    assert (row["L"], row["empty"], row["copied"]) == (2, 0, 0)
    (system,) = judged["systems"]
    signed = system["signatures"]["BLEU"]
    assert "tok:13a" in signed
    assert signed.endswith(f"|L:2|beam:4|runtime:{system['runtime']}|model:{system['model hash']}")
    assert [d["document"] for d in system["documents"]] == ["pods", "nodes"]
    assert json.loads((folder / "out/scores.json").read_text()) == judged


def test_files_are_scored_as_the_model_was(evaluate, judged):
    kept = "kept/zh-en-docs-L2-beam4-pages.json"
    done = evaluate("--hyp", kept, "--hyp", "good.txt", "--ref", "pages.tsv", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    first, second = found["rows"]
    differences = {name for name in first if "difference" in name or name.startswith("p of")}
    assert {name: first[name] for name in first.keys() - differences} == judged["rows"][0]
    assert second["model"] == "good"
    assert found["systems"][0] == judged["systems"][0]
    again = evaluate(kept, "pages.tsv", "--json")
    assert json.loads(again.stdout)["rows"] == judged["rows"]


@pytest.fixture(scope="module")
def prepared(folder):
    """The pages, prepared with the vocabulary of the bundled model."""
    splits = (word for split in ("--train", "--dev", "--test") for word in (split, "pages.tsv"))
    prepare = ["prepare", "--languages", "zh-en", *splits, "--text", MODEL, "prepared"]
    assert longways(*prepare, cwd=folder).returncode == 0
    return "prepared"


def test_the_use_of_context_is_shown_kept_and_not_made_again(evaluate, folder, prepared):
    asked = [MODEL, prepared, "--compare-contexts", "--window", "2", "--save", "contexts", "--json"]
    done = evaluate(*asked)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [row["context"] for row in found["rows"]] == ["true", "other", "none"]
    assert all(row["document BLEU"] > 40 and row["L"] == 2 for row in found["rows"])
    assert len({row["loss"] for row in found["rows"]}) == 3
    assert [s["model"] for s in found["systems"]][2] == "zh-en-docs, no context"
    assert len(list((folder / "contexts").iterdir())) == 3
    again = json.loads(evaluate(*asked).stdout)
    assert again["rows"] == found["rows"]  # the seconds too
    done = evaluate(*asked, "--windows", "whole")
    assert (done.returncode, "excludes --windows whole" in done.stderr) == (2, True)


def test_whole_windows_and_the_length_penalty_are_options_of_decoding(evaluate, folder, prepared):
    options = ["--window", "2", "--windows", "whole", "--length-penalty", "0.5", "--save", "whole"]
    done = evaluate(MODEL, prepared, *options, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rows"][0]["document BLEU"] > 20
    signed = found["systems"][0]["signatures"]["BLEU"]
    assert "|beam:4|length penalty:0.5|windows:whole|" in signed
    (saved,) = (folder / "whole").iterdir()
    assert saved.name == "zh-en-docs-L2-beam4-penalty0.5-whole-test.json"


def test_several_files_are_compared_with_the_first(evaluate, folder):
    files = ["--hyp", "good.txt", "--hyp", "bad.txt", "--ref", "ref.txt"]
    done = evaluate(*files, "--src", "pages.tsv", "--by-document", "-o", "compared.json")
    assert done.returncode == 0, done.stderr
    assert "By document: 1 good, 2 bad" in done.stdout
    assert "bad: chrF|nrefs:1" in done.stdout
    good, bad = json.loads((folder / "compared.json").read_text())["rows"]
    assert (good["empty"], good["copied"], bad["empty"], bad["copied"]) == (0, 0, 1, 1)
    assert good["BLEU difference"] == "+0.00 [+0.00, +0.00]"
    assert bad["BLEU difference"].startswith("-")


def test_of_many_systems_the_chief_scores_are_shown_a_line_each(evaluate):
    done = evaluate(*["--hyp", "good.txt", "--hyp", "bad.txt"] * 3, "--ref", "ref.txt")
    lines = [line for line in done.stdout.splitlines() if "│ good" in line or "│ bad" in line]
    assert [line.split()[1] for line in lines] == ["good", "bad"] * 3
    assert "BLEU" in done.stdout
    assert "length ratio" not in done.stdout


def test_only_json_is_printed_with_json(evaluate):
    done = evaluate("--hyp", "good.txt", "--ref", "ref.txt", "--json", "--by-document")
    assert len(done.stdout.splitlines()) == 1
    assert json.loads(done.stdout)["settings"]["bootstrap"] == "documents"
    assert done.stderr == ""


def test_chinese_is_known_by_the_name_of_the_references_or_told(evaluate):
    for options in (["--ref", "pages.zh.txt"], ["--ref", "unnamed.txt", "--language", "zh"]):
        done = evaluate("--hyp", "pages.zh.txt", *options, "--json", "--metric", "bleu")
        found = json.loads(done.stdout)
        assert "tok:zh" in found["settings"]["signatures"]["BLEU"]
        assert list(found["settings"]["signatures"]) == ["BLEU"]
        assert found["rows"][0]["document BLEU"] == 100


def test_the_help_teaches_both_ways(evaluate):
    told = evaluate("--help").stdout
    assert "longways evaluate runs/one/best runs/two/best prepared/mine" in told
    assert "longways evaluate --hyp one.txt --hyp two.txt --ref reference.en.txt" in told


FILES = ["--hyp", "good.txt", "--ref", "ref.txt"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "There is nothing to evaluate. Name models and then data"),
        ([MODEL], "to evaluate. Name models and then data"),
        ([MODEL, "pages.tsv", *FILES], "There are both models and files to score"),
        (["--hyp", "good.txt"], "--ref is missing."),
        (["--ref", "ref.txt"], "--hyp is missing."),
        ([*FILES, "--beam", "2"], "--beam is only for models that translate."),
        ([*FILES, "--compare-contexts"], "--compare-contexts is only for models that translate."),
        ([MODEL, "pages.tsv", "--src", "a"], "--src is only for translations in files"),
        (["--hyp", "none.txt", "--ref", "ref.txt"], "There is no file none.txt."),
        (["--hyp", "good.txt", "--ref", "none.txt"], "There is no file none.txt."),
        (["--hyp", "none.json", "--ref", "ref.txt"], "There is no file none.json."),
        (["--hyp", "empty.txt", "--ref", "ref.txt"], "empty.txt is empty"),
        (["--hyp", "good.txt", "--ref", "empty.txt"], "empty.txt is empty"),
        (
            ["--hyp", "short.txt", "--ref", "ref.txt"],
            "differ at document 1: it has 2 and 3 sentences, so sentence 3 of the latter (line 3)",
        ),
        (["--hyp", "good.txt", "--ref", "unnamed.txt"], "differ at document 1: it has 3 and 5"),
        ([*FILES, "--metric", "ter"], "There is no metric 'ter'. Use bleu or chrf."),
        ([*FILES, "--language", "Chinese"], "must be a code such as zh or en."),
        ([*FILES, "-o", "."], ". is a folder, but -o needs the name of a file"),
        ([*FILES, "-o", "ref.txt/scores.json"], "ref.txt/scores.json cannot be written"),
        ([MODEL, "pages.tsv", "--save", "ref.txt"], "ref.txt is a file, but --save needs"),
        ([MODEL, "none.tsv"], "There is no data at none.tsv."),
        ([MODEL, "empty.tsv"], "empty.tsv is empty"),
        (["none", "pages.tsv"], "There is no model folder at none."),
        ([MODEL, "pages.tsv", "--window", "9"], "longer than the 4 this model was trained on"),
        ([MODEL, "pages.tsv", "--window", "0"], "The window is 0"),
        ([MODEL, "pages.tsv", "--beam", "0"], "The beam is 0"),
        ([MODEL, "pages.tsv", "--compare-contexts"], "--compare-contexts needs prepared data."),
        ([MODEL, "pages.tsv", "--windows", "whole"], "--windows whole needs prepared data."),
        ([MODEL, "pages.tsv", "--at-limit", "end"], "--at-limit end needs prepared data."),
        ([MODEL, "pages.tsv", "--windows", "none"], "must be sliding, whole or regenerated."),
        ([MODEL, "pages.tsv", "--whole-window"], "`--whole-window` is now `--windows whole`."),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_code_2(evaluate, arguments, words):
    done = evaluate(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.startswith("longways: ")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_translations_in_files_are_scored_in_the_light_install(folder, evaluate):
    """Without torch and all other packages of the extras."""
    files = ["--hyp", "good.txt", "--hyp", "bad.txt", "--ref", "ref.txt", "--json"]
    light = subprocess.run(
        [sys.executable, "-c", LIGHT_INSTALL, "evaluate", *files],
        capture_output=True, text=True, cwd=folder, check=False,
    )  # fmt: skip
    assert light.returncode == 0, light.stderr
    found, wanted = (json.loads(done.stdout) for done in (light, evaluate(*files)))
    assert (found["rows"], found["systems"]) == (wanted["rows"], wanted["systems"])


def test_sacrebleu_is_a_core_dependency():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert "sacrebleu>=2.4" in tomllib.loads(text)["project"]["dependencies"]


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture
def terms(tmp_path):
    """A source in which a word recurs, with its reference and a translation that varies it."""
    fillers = [f"Wort{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    source = ["Der Knoten startet.", "Knoten", "Knoten", *fillers]
    reference = ["The node starts.", "Node", "Node", *fillers]
    varied = ["The node starts.", "Node", "Vertex", *fillers]
    files = {"src.de.txt": source, "ref.en.txt": reference, "hyp.en.txt": varied}
    return {name: write_lines(tmp_path / name, lines) for name, lines in files.items()}


def test_terms_are_columns_and_references_a_row(evaluate, terms):
    done = evaluate(
        "--hyp", terms["hyp.en.txt"], "--ref", terms["ref.en.txt"], "--src", terms["src.de.txt"],
        "--terms", "de", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    system, references = json.loads(done.stdout)["rows"]
    assert references["model"] == "references"
    assert references["terms the same"] == 100
    assert system["terms the same"] < 100
    assert system["pairs the same"] < 100


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--terms", "Chinese"], "must be a code such as zh or en"),
        (["--terms", "de"], "Name its file with --src"),
        (["--terms", "ja", "--src", "src.de.txt"], "Leave out --terms"),
    ],
)
def test_terms_without_what_they_need_are_refused(evaluate, terms, options, says):
    options = [str(terms.get(option, option)) for option in options]
    done = evaluate("--hyp", terms["hyp.en.txt"], "--ref", terms["ref.en.txt"], *options)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
