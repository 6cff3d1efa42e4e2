"""Every command of the tutorial runs as written, and the model learns what the page says."""

import re

import pytest

from tests.docs.pages import ROOT, Shell, blocks, commands

PAGE = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")


def row(table: str, name: str) -> list[str]:
    """The cells of a row that `longways evaluate` prints."""
    found = re.search(rf"^│ {name} +│(.*)│$", table, re.MULTILINE)
    assert found is not None, table
    return [cell.strip() for cell in found[1].split("│")]


@pytest.mark.slow
def test_every_command_of_the_tutorial_runs(tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (text,) = blocks(PAGE, "text")
    (tmp_path / "house.en.txt").write_text(text, encoding="utf-8")
    shell = Shell(tmp_path)
    printed = {}
    for session in blocks(PAGE, "console"):
        for command in commands(session):
            printed[command.line] = shell.run(command.line)
            if command.output:
                assert printed[command.line] == command.output, command.line
    assert (tmp_path / "curves.png").exists()
    scores = printed["longways evaluate runs/house/best prepared/house"]
    assert float(row(scores, "document BLEU")[0]) > 90
    context = printed["longways evaluate --compare-contexts runs/house/best prepared/house"]
    true, _, none = map(float, row(context, "document BLEU"))
    assert none < true - 10
    alone = shell.run("longways translate house.en.txt --model models/house --window 1 -o -")
    first, second = (line.split(". ")[1] for line in alone.splitlines())
    assert first == second
