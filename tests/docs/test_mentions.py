"""The commands and benchmarks that pages mention exist, with the options that they are given."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from longways.cli import app
from tests.docs.pages import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def mentioned_commands() -> Iterator[tuple[str, list[str]]]:
    """Every line of a page that calls `longways`, as words; continued lines are joined."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        fenced = re.findall(r"^(?:\$ )?((?:[^#\n|`]*\| )?longways [^#\n]*)", text, re.MULTILINE)
        inline = re.findall(r"`(longways [^`]*)`", text)
        for line in (*fenced, *inline):
            yield page.name, " ".join(line.split()).partition("longways ")[2].split()


def test_every_command_that_a_page_mentions_has_these_options():
    count = 0
    for page, words in mentioned_commands():
        command: Any = typer.main.get_command(app)
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        if hasattr(command, "commands") and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
            pytest.fail(f"{page}: there is no command {words[0]}")
        known = {name for option in command.params for name in option.opts + option.secondary_opts}
        for word in words:
            if re.match(r"--?[a-z]", word) and word.rstrip(",.") != "--help":
                assert word.rstrip(",.") in known, f"{page}: {command.name} {word}"
        count += 1
    assert count > 30


def test_every_benchmark_that_a_page_mentions_exists():
    from benchmarks.__main__ import listed

    names = {name for name, _ in listed()} | {"NAME"}
    for page in PAGES:
        for name in re.findall(r"python -m benchmarks ([\w-]+)", page.read_text(encoding="utf-8")):
            assert name in names, f"{page.name}: {name}"
