"""The README says only what is true, and its commands run as written."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Shell, blocks, commands

README = (ROOT / "README.md").read_text(encoding="utf-8")


def results(name: str) -> list[dict[str, object]]:
    return json.loads((ROOT / "results" / name).read_text(encoding="utf-8"))["rows"]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (page,) = blocks(README, "markdown")
    (tmp_path / "guide.zh.md").write_text(page, encoding="utf-8")
    return Shell(tmp_path)


def test_the_quick_start_prints_what_it_shows(shell):
    (session,) = blocks(README, "console")
    for command in commands(session):
        assert shell.run(command.line) == command.output, command.line


def test_the_python_example_prints_and_writes_what_it_says(shell):
    (code,) = blocks(README, "python")
    (shell.folder / "example.py").write_text(code, encoding="utf-8")
    shown = re.search(r"print\(.*\n# (.*)", code)
    assert shown is not None
    assert shell.run("python example.py").strip() == shown[1]
    translation = (shell.folder / "guide.en.md").read_text(encoding="utf-8")
    assert "container engine" in translation


def test_its_first_commands_are_demo_and_test():
    first = re.search(r"```\n(.*?)```", README, re.DOTALL)
    assert first is not None
    lines = [line.split("#")[0].strip() for line in first[1].splitlines()]
    assert lines == ["make demo", "make test"]


def test_the_demo_shows_the_first_example():
    example = re.findall(r"```\n(.*?)```", README, re.DOTALL)[1]
    source = (ROOT / "examples/first-cluster.zh.txt").read_text(encoding="utf-8")
    for sentence in re.findall(r"^\S.*?。", example, re.MULTILINE):
        assert sentence in source


@pytest.mark.parametrize("tool", ["readme_tables.py", "readme_figure.py"])
def test_its_tables_and_its_figure_come_from_results(tool):
    command = [sys.executable, f"tools/{tool}", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_a_row_of_a_table_can_be_selected_and_renamed():
    rows = re.findall(r"^\| (\S.*?) \|", README, re.MULTILINE)
    assert "hybrid (2 key heads)" in rows
    assert "hybrid2-32" not in rows


def test_the_numbers_of_the_bundled_model_are_those_of_results():
    quality = {
        row["beam"]: row["document BLEU"]
        for row in results("real-text/opendocs.json")
        if row["version"] == "now"
    }
    speed = {
        (row["documents"], row["sentences of each"], row["beam"]): row["sentences a second"]
        for row in results("embedded/speed.json")
    }
    text = " ".join(README.split())
    assert f"{quality[4]} document BLEU on held-out documents with beam 4, and {quality[1]}" in text
    assert f"translates {speed[1, 320, 4]:.0f} sentences of one document per second" in text
    assert f"with beam 4 and {speed[1, 320, 1]:.0f} with greedy search" in text
    assert f"reach {speed[32, 10, 4]:.0f} and {speed[32, 10, 1]:.0f}" in text
    talks = min(row["document BLEU"] for row in results("embedded/iwslt.json"))
    assert f"on talks it scores {talks:.0f} BLEU" in text


def test_its_links_and_images_are_absolute():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert links
    for link in links:
        assert link.startswith("https://"), f"{link} does not work on a package index"


def test_every_file_the_map_names_exists():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"\b(\w+\.py)\b", text):
        assert list(ROOT.glob(f"src/**/{name}")) + list(ROOT.glob(f"t*/**/{name}")), name
