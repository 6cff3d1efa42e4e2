"""The command line: one file a verb, and one place where errors become exit code 2."""

from __future__ import annotations

import sys

import typer

from longways import __version__
from longways.cli import (
    bench,
    consistency,
    evaluate,
    export,
    info,
    prepare,
    study,
    train,
    translate,
)
from longways.cli.error_messages import explanation
from longways.cli.renamed import COMMANDS, Command, add_former_commands

app = typer.Typer(
    name="longways",
    help="Translate whole documents in linear time.\n\n"
    "Longways reads a document in windows of several sentences, so that a name, a pronoun or a "
    "term is translated with the sentences before it in view.",
    epilog="Start with: longways translate page.zh.txt",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command("translate", cls=Command)(translate.translate)
app.command("prepare", cls=Command)(prepare.prepare)
app.command("train", cls=Command)(train.train)
app.command("evaluate", cls=Command)(evaluate.evaluate)
app.command("consistency", cls=Command)(consistency.consistency)
app.command("study", cls=Command)(study.study)
app.command("export", cls=Command)(export.export)
app.command("info", cls=Command)(info.info)
app.add_typer(bench.app, name="bench")
add_former_commands(app, "longways", COMMANDS)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"longways {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Options that come before a verb."""


def main() -> None:
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    try:
        app()
    except Exception as error:
        said = explanation(error)
        if said is None:
            raise
        print(f"longways: {said}", file=sys.stderr)
        sys.exit(2)
