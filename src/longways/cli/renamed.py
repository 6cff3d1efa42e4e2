"""Commands whose former options, and former names, answer with a sentence that has the new name.

All renames are in the two tables below. A former name is in no help text and completes to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from longways.cli.help.page import help_page
from longways.errors import ConfigError

FORMER_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "evaluate": {
        "--part": "--split",
        "--keep": "--save",
        "--whole-window": "--windows whole",
    },
    "speed": {"--engines": "--systems", "--lengths": "--windows"},
}
"""For each command, its former options and their new names."""

IN_CLONE = "in a clone of the repository"

FORMER_COMMANDS: Mapping[str, str] = {
    "toy": f"`python examples/toy.py`, {IN_CLONE}",
    "plot": "`longways info RUN... --plot FILE`",
}
"""Former verbs, and what replaces each."""

MICRO_BENCHMARKS = (
    *("features", "forms", "gates", "kernels", "loader", "prepare", "roundtrip", "reorder"),
    *("decode-kernels", "step", "step-parts", "glossary", "formats", "resume"),
)
"""Former commands of `longways bench` that are now commands of `python -m benchmarks`."""

FORMER_BENCH_COMMANDS: Mapping[str, str] = {
    **{name: f"`python -m benchmarks {name}`, {IN_CLONE}" for name in MICRO_BENCHMARKS},
    "decode-memory": "`longways bench memory`",
    "speed-plot": "`longways bench speed REPORT... --plot FILE`",
}
"""Former commands of `longways bench`, and what replaces each."""


class Command(TyperCommand):
    """A command that knows its former options and has a help page in two columns."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        formatter.write(help_page(self, ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raise if an argument is empty or a former option is used; otherwise parse as usual."""
        if "" in args:
            raise ConfigError(
                "One of the arguments is empty. An empty path would mean the current folder, so "
                "check the variables of your command."
            )
        former = FORMER_OPTIONS.get(self.name or "", {})
        for argument in args:
            if argument == "--":
                break
            option = argument.partition("=")[0]
            if option in former:
                raise ConfigError(f"`{option}` is now `{former[option]}`.")
        return super().parse_args(ctx, args)


def add_former_commands(app: typer.Typer, prefix: str, commands: Mapping[str, str]) -> None:
    """Add hidden commands that fail with the new name, whatever their arguments are."""
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    for name, new in commands.items():
        fail = _failure(f"`{prefix} {name}` is now {new}.")
        app.command(name, hidden=True, add_help_option=False, context_settings=anything)(fail)


def _failure(sentence: str) -> Any:
    def fail() -> None:
        raise ConfigError(sentence)

    return fail
